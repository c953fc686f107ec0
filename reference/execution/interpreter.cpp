// SPDX-License-Identifier: Apache-2.0
//
// The loop that executes instructions, and what each result's defined bits follow from.
#include <algorithm>
#include <cstring>

#include "execution/frame.hpp"
#include "execution/opcode_table.hpp"
#include "execution/report_sink.hpp"

namespace coopvk::reference {

namespace {

LaneMask definedInAll(const Value& value) {
    LaneMask defined = LaneMask::firstLanes(kMaxLanes);
    for (uint32_t c = 0; c < value.components(); ++c) defined &= value.defined[c];
    return defined;
}

void propagate(Subgroup& s, const Instruction& i, LaneMask mask) {
    const Value result = s.values[i.result];
    LaneMask whole = LaneMask::firstLanes(kMaxLanes);
    if (i.row->defined == Defined::kAll)
        for (const Operand& operand : i.operands)
            if (operand.slot != kNone) whole &= definedInAll(s.values[operand.slot]);
    for (uint32_t c = 0; c < result.components(); ++c) {
        LaneMask defined = whole;
        for (const Operand& operand : i.operands) {
            if (i.row->defined != Defined::kComponentwise || operand.slot == kNone) continue;
            const Value& value = s.values[operand.slot];
            if (value.components() > 0)
                defined &= value.defined[std::min(c, value.components() - 1)];
        }
        result.define(c, defined, mask);
    }
    for (const auto& [component, lane] : s.outside) result.defined[component].clear(lane);
    s.outside.clear();
}

// Instructions of one block, until one branches, waits or yields.
Outcome runBlock(Subgroup& s, bool tracksDefined) {
    Frame* frame = &s.frames.back();
    const std::vector<Instruction>& instructions =
        frame->function->blocks[frame->block].instructions;
    for (const Instruction* at = &instructions[frame->position];; ++at) {
        ++frame->position;
        const Step step = at->handler(s, *at);
        if (tracksDefined && at->row->defined != Defined::kHandler && at->result != kNone &&
            at->handler == at->row->handler)
            propagate(s, *at, s.mask);
        switch (step) {
            case Step::kNext:
                continue;
            case Step::kBranched:
                return Outcome::kFinished;
            case Step::kYield:
                return Outcome::kYield;
            case Step::kMeet:
                s.meeting = at;
                return Outcome::kMeet;
            case Step::kStop:
                return Outcome::kStop;
        }
    }
}

}  // namespace

Outcome run(Subgroup& s, size_t depth) {
    const bool tracksDefined = s.checks(kCheckUndefined);
    while (s.frames.size() > depth) {
        if (s.group->sink->stopped()) return Outcome::kStop;
        if (const uint64_t most = s.group->settings->steps; most != 0 && s.steps++ >= most) {
            s.group->sink->stop("a subgroup has executed " + std::to_string(most) + " blocks");
            return Outcome::kStop;
        }
        const Outcome outcome = runBlock(s, tracksDefined);
        if (outcome != Outcome::kFinished) return outcome;
    }
    return Outcome::kFinished;
}

bool callFunction(Subgroup& s, const Function& function, std::span<const Value> arguments,
                  LaneMask mask) {
    const LaneMask before = s.mask;
    for (size_t p = 0; p < function.parameters.size() && p < arguments.size(); ++p)
        copyValue(s.values[function.parameters[p]], arguments[p], mask);
    const size_t depth = s.frames.size();
    enter(s, function, mask, kNone);
    Outcome outcome = Outcome::kYield;
    while (outcome == Outcome::kYield) outcome = run(s, depth);
    if (outcome == Outcome::kMeet)
        s.report(kCheckDivergence, *s.meeting, mask.first(),
                 "subgroups cannot meet in a function that another instruction calls");
    s.frames.resize(depth);
    if (!s.frames.empty()) s.frames.back().mask = before;
    s.mask = before;
    return outcome == Outcome::kFinished;
}

void copyComponents(const Value& to, uint32_t toFirst, const Value& from, uint32_t fromFirst,
                    uint32_t count, LaneMask mask) {
    const uint32_t lanes = to.lanes;
    if (mask == LaneMask::firstLanes(lanes)) {
        std::memmove(to.component(toFirst), from.component(fromFirst),
                     size_t{count} * lanes * sizeof(uint64_t));
    } else {
        for (uint32_t c = 0; c < count; ++c) {
            uint64_t* target = to.component(toFirst + c);
            const uint64_t* source = from.component(fromFirst + c);
            mask.forEach([&](uint32_t lane) { target[lane] = source[lane]; });
        }
    }
    for (uint32_t c = 0; c < count; ++c) to.define(toFirst + c, from.defined[fromFirst + c], mask);
}

void executeOnConstants(Program& program, const Instruction& instruction) {
    Subgroup s;
    s.program = &program;
    s.lanes = program.lanes;
    s.all = s.mask = LaneMask::firstLanes(program.lanes);
    s.values.resize(program.slots.size());
    for (size_t i = 0; i < program.slots.size(); ++i) {
        const Slot& slot = program.slots[i];
        if (!slot.constant) continue;
        s.values[i] = {program.constantData.data() + slot.storage * program.lanes,
                       program.constantDefined.data() + slot.storage, slot.type, program.lanes};
    }
    (void)instruction.handler(s, instruction);
    if (instruction.row->defined != Defined::kHandler) propagate(s, instruction, s.mask);
}

}  // namespace coopvk::reference
