// SPDX-License-Identifier: Apache-2.0
#include "execution/report_sink.hpp"

#include <spirv-tools/libspirv.h>

#include <algorithm>

#include "execution/frame.hpp"
#include "execution/map.hpp"

namespace coopvk::reference {

namespace {

struct CheckRow {
    Check check;
    const char* name;
};
constexpr CheckRow kChecks[] = {
    {kCheckRaces, "races"},           {kCheckUnwritten, "unwritten"},
    {kCheckBounds, "bounds"},         {kCheckUndefined, "undefined"},
    {kCheckDomain, "domain"},         {kCheckDivergence, "divergence"},
    {kCheckUniformity, "uniformity"}, {kCheckProgram, "program"},
};

// The line of source at a word of the module; empty: none.
std::string lineAt(const Program& program, uint32_t word) {
    const auto after =
        std::upper_bound(program.lines.begin(), program.lines.end(), word,
                         [](uint32_t at, const auto& line) { return at < line.first; });
    return after != program.lines.begin() ? (after - 1)->second : "";
}

// Of an instruction that executes; in a function without lines, of the call.
std::string lineOf(const Subgroup& s, const Instruction& instruction) {
    std::string line = lineAt(*s.program, instruction.word);
    for (size_t frame = s.frames.size(); line.empty() && frame-- > 1;) {
        const Frame& caller = s.frames[frame - 1];
        const auto& instructions = caller.function->blocks[caller.block].instructions;
        line = lineAt(*s.program, instructions[caller.position - 1].word);
    }
    return line;
}

// Name of the instruction, its result, and its line of source.
std::string nameOf(const Program& program, const Instruction& instruction,
                   const std::string& line) {
    std::string text =
        std::string("Op") + spvOpcodeString(static_cast<uint32_t>(instruction.opcode));
    if (instruction.resultId != 0) text += " %" + std::to_string(instruction.resultId);
    const auto name = program.names.find(instruction.resultId);
    if (name != program.names.end() && !name->second.empty()) text += " (" + name->second + ")";
    return line.empty() ? text : text + " at " + line;
}

std::string valueOf(const Value& value, uint32_t lane) {
    const uint32_t last = value.components() - 1;
    const bool pointer = value.type->kind == Kind::kPointer;
    const uint32_t c = pointer ? last : 0;
    if (!value.isDefined(c, lane)) return "undefined";
    const Type& scalar = scalarOf(*value.type);
    const uint64_t bits = value.at(c, lane);
    const std::string more = !pointer && last > 0 ? ", ..." : "";
    if (pointer) return "byte " + std::to_string(static_cast<int64_t>(bits));
    if (scalar.kind == Kind::kFloat)
        return std::to_string(numbers::decodeDouble(numberOf(scalar), bits)) + more;
    if (scalar.isSigned) return std::to_string(signExtend(bits, scalar.width)) + more;
    return std::to_string(bits) + more;
}

// Values of the first operands in a lane.
std::string operandsOf(const Subgroup& s, const Instruction& instruction, uint32_t lane) {
    constexpr int kMost = 4;
    std::string text;
    int count = 0;
    for (const Operand& operand : instruction.operands) {
        if (operand.slot == kNone || !s.mask.test(lane) || count == kMost) continue;
        const Value value = s.value(operand.slot);
        if (value.components() == 0) continue;
        text += (count++ == 0 ? " with %" : ", %") + std::to_string(operand.word) + " = " +
                valueOf(value, lane);
    }
    return text;
}

}  // namespace

const char* checkName(Check check) {
    for (const CheckRow& row : kChecks)
        if (row.check == check) return row.name;
    return "";
}

std::string describe(const Report& report) {
    const auto& group = report.workgroup;
    return std::string(checkName(report.check)) + ": " + report.message + "; " +
           report.instruction + " (word " + std::to_string(report.word) + "), workgroup " +
           std::to_string(group[0]) + "," + std::to_string(group[1]) + "," +
           std::to_string(group[2]) + ", subgroup " + std::to_string(report.subgroup) + ", lane " +
           std::to_string(report.lane);
}

void ReportSink::report(const Report& report) {
    const std::lock_guard lock(mutex_);
    if (seen_.size() >= most_ || !seen_.emplace(report.check, report.word).second) return;
    if (!reporter_.report(report)) stop();
}

void ReportSink::stop(const std::string& reason) {
    if (!stopped_.exchange(true)) reason_ = reason;
}

void ReportSink::print(const std::string& text) {
    const std::lock_guard lock(mutex_);
    reporter_.print(text);
}

bool Subgroup::checks(Check check) const {
    return group != nullptr && (group->settings->checks & check) != 0;
}

void Subgroup::report(Check check, const Instruction& instruction, uint32_t lane,
                      std::string message) {
    if (!checks(check)) return;
    Report report;
    report.check = check;
    report.message = std::move(message);
    if (check == kCheckUndefined && lastOutside != nullptr)
        report.message += std::string(" (the last such result: ") + lastWhat + " in " +
                          nameOf(*program, *lastOutside, lineAt(*program, lastOutside->word)) + ")";
    report.opcode = static_cast<uint32_t>(instruction.opcode);
    report.resultId = instruction.resultId;
    report.word = instruction.word;
    report.instruction = nameOf(*program, instruction, lineOf(*this, instruction)) +
                         operandsOf(*this, instruction, lane);
    report.workgroup = group->id;
    report.subgroup = index;
    report.lane = lane;
    group->sink->report(report);
}

void Subgroup::noteOutside(const Instruction& instruction, uint32_t component, uint32_t lane,
                           const char* what) {
    if (!checks(kCheckUndefined)) return;
    outside.emplace_back(component, lane);
    lastOutside = &instruction;
    lastWhat = what;
}

uint64_t Subgroup::uniform(const Instruction& instruction, uint32_t index_) {
    const Value value = operand(instruction, index_);
    // Where all subgroups have met, all have the operand of the first one.
    const Subgroup& other =
        phase == 0 || group->subgroups[0].mask.none() ? *this : group->subgroups[0];
    const uint32_t first = other.mask.first();
    for (uint32_t c = 0; c < value.components() && checks(kCheckUniformity); ++c) {
        const uint64_t bits = other.operand(instruction, index_).at(c, first);
        mask.forEach([&](uint32_t lane) {
            if (value.at(c, lane) != bits)
                report(kCheckUniformity, instruction, lane,
                       "operand " + std::to_string(index_) + " is " +
                           std::to_string(value.at(c, lane)) + " here and " + std::to_string(bits) +
                           " in another invocation");
        });
    }
    return value.at(0, mask.first());
}

}  // namespace coopvk::reference
