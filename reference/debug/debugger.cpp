// SPDX-License-Identifier: Apache-2.0
#include "coopvk_reference/debugger.hpp"

#include <algorithm>

#include "execution/frame.hpp"

namespace coopvk::reference {
namespace {

const Instruction* nextOf(const Frame& frame) {
    const auto& instructions = frame.function->blocks[frame.block].instructions;
    return frame.position < instructions.size() ? &instructions[frame.position] : nullptr;
}

// The line of the next instruction; in a function without lines, of the call.
std::string nextLineOf(const Subgroup& s) {
    for (size_t frame = s.frames.size(); frame-- > 0;) {
        const Frame& at = s.frames[frame];
        const bool isCaller = frame + 1 < s.frames.size();
        const auto& instructions = at.function->blocks[at.block].instructions;
        const Instruction* i =
            isCaller && at.position > 0 ? &instructions[at.position - 1] : nextOf(at);
        const std::string line = i != nullptr ? lineAt(*s.program, i->word) : "";
        if (!line.empty()) return line;
    }
    return "";
}

// Where an instruction that has executed is: behind a return, the call that is done with it.
// Nothing: a call, whose function has begun.
std::optional<uint32_t> wordDone(const Subgroup& s) {
    if (s.at->opcode == OpFunctionCall) return std::nullopt;
    const bool returns = s.at->opcode == OpReturn || s.at->opcode == OpReturnValue;
    if (!returns || s.frames.empty() || s.frames.back().position == 0) return s.at->word;
    const Frame& caller = s.frames.back();
    const Instruction& call =
        caller.function->blocks[caller.block].instructions[caller.position - 1];
    return call.opcode == OpFunctionCall ? call.word : s.at->word;
}

}  // namespace

Status Debugger::run(const Program& program, Dispatch dispatch, Resources& resources,
                     Settings settings, Resume first) {
    Observer* const observers[] = {this};
    dispatch.observers = observers;
    dispatch.stop = &stop_;
    settings.threads = 1;
    stop_ = ends_ = false;
    executed_ = 0;
    lastWrite_ = {};
    written_.clear();
    report_.reset();
    resume_ = first;
    subgroup_ = workgroup_ = 0;
    depth_ = 1;
    line_.clear();
    auto status = execute(program, dispatch, resources, settings, *this);
    return ends_ ? Status(Done{}) : status;
}

void Debugger::begin(const Group& group) { current_ = group.number; }

bool Debugger::report(const Report& report) {
    if (!report_) report_ = report;
    return true;
}

void Debugger::print(const std::string& text) {
    if (prints && !ends_) prints(text);
}

void Debugger::note(const MemoryAccess& access) {
    if (ends_) return;
    if (watched && watched(access)) lastWrite_ = {executed_ + 1, access.lane};
    for (const StopRule& rule : rules)
        if (rule.writes && rule.writes(access)) written_.emplace_back(rule.number, access.lane);
}

std::vector<uint32_t> Debugger::rulesAt(uint32_t word) const {
    std::vector<uint32_t> numbers;
    for (const StopRule& rule : rules) {
        const bool isWritten = std::ranges::any_of(
            written_, [&](const auto& written) { return written.first == rule.number; });
        const bool isReported = report_ && (rule.checks & report_->check) != 0;
        if (isWritten || isReported || std::ranges::binary_search(rule.words, word))
            numbers.push_back(rule.number);
    }
    return numbers;
}

bool Debugger::isDue(const Moment& at, bool hasRule) {
    using enum Resume::Until;
    if (resume_.until == kNumber) return executed_ >= resume_.count;
    if (hasRule) return true;
    if (current_ != workgroup_ || at.subgroup() != subgroup_) return false;
    if (resume_.until == kInstruction) return --resume_.count == 0;
    if (resume_.until != kLine) return false;
    const Subgroup& s = subgroupAt(at);
    if (s.frames.size() > depth_) return false;
    const std::string next = nextLineOf(s);
    // The end of the line with which it goes on; that may be the rest of this one.
    return next.empty() || next != line_;
}

void Debugger::instruction(const Moment& at) {
    if (ends_) return;
    ++executed_;
    const auto word = wordDone(subgroupAt(at));
    std::vector<uint32_t> numbers = rulesAt(word.value_or(0));
    if (isDue(at, !numbers.empty())) hold(at, word.value_or(at.word()), std::move(numbers));
    written_.clear();
    report_.reset();
}

void Debugger::hold(const Moment& at, uint32_t word, std::vector<uint32_t> numbers) {
    Stop stop{.at = at,
              .word = word,
              .number = executed_,
              .rules = std::move(numbers),
              .report = report_};
    stop.lane = at.active().any() ? at.active().first() : 0;
    if (report_) stop.lane = report_->lane;
    if (!written_.empty()) stop.lane = written_.front().second;
    resume_ = stopped_(stop);
    resume_.count = std::max<uint64_t>(resume_.count, 1);
    const Subgroup& s = subgroupAt(at);
    subgroup_ = s.index;
    workgroup_ = current_;
    depth_ = s.frames.size();
    line_ = nextLineOf(s);
    if (resume_.until == Resume::Until::kEnd) stop_ = ends_ = true;
}

std::vector<uint32_t> callsAt(const Moment& at) {
    std::vector<uint32_t> words;
    for (const Frame& frame : subgroupAt(at).frames) {
        const Instruction* next = nextOf(frame);
        words.push_back(next != nullptr ? next->word : 0);
    }
    return words;
}

std::array<uint32_t, 3> workgroupAt(const Moment& at) { return subgroupAt(at).group->id; }

std::span<const std::byte> sharedMemoryAt(const Moment& at) { return subgroupAt(at).group->shared; }

uint32_t subgroupsAt(const Moment& at) {
    return static_cast<uint32_t>(subgroupAt(at).group->subgroups.size());
}

Whereabouts whereaboutsOf(const Moment& at, uint32_t subgroup) {
    const Subgroup& s = subgroupAt(at).group->subgroups[subgroup];
    if (s.frames.empty()) return {};
    const Instruction* next = nextOf(s.frames.back());
    return {next != nullptr ? next->word : 0, s.mask};
}

}  // namespace coopvk::reference
