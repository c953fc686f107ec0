// SPDX-License-Identifier: Apache-2.0
//
// The table of opcodes, the loop that executes instructions, and where results are defined.
#include <algorithm>
#include <cstring>
#include <format>
#include <unordered_map>

#include "execution/opcode_table.hpp"

namespace coopvk::reference {
namespace {

constexpr Rows (*kFamilies[])() = {
    controlRows,      compositeRows, integerRows, floatRows,  conversionRows, linearRows,
    subgroupRows,     printRows,     chainRows,   accessRows, atomicRows,     matrixRows,
    matrixMemoryRows, tensorRows,    vectorRows,  blockRows,
};

const OpcodeRow* findNumber(uint32_t opcode) {
    static const auto table = [] {
        std::unordered_map<uint32_t, const OpcodeRow*> rows;
        for (const auto family : kFamilies)
            for (const OpcodeRow& row : family()) rows.emplace(row.opcode, &row);
        return rows;
    }();
    const auto found = table.find(opcode);
    return found != table.end() ? found->second : nullptr;
}

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

// Instructions of one block, until one branches, meets others, yields or stops.
Step runBlock(Subgroup& s, bool tracksDefined) {
    Frame& frame = s.frames.back();
    const Instruction* at = &frame.function->blocks[frame.block].instructions[frame.position];
    for (;; ++at) {
        ++frame.position;
        const Step step = at->handler(s, *at);
        if (tracksDefined && at->row->defined != Defined::kHandler && at->result != kNone &&
            at->handler == at->row->handler)
            propagate(s, *at, s.mask);
        if (step == Step::kNext) continue;
        if (step == Step::kMeet) s.meeting = at;
        return step;
    }
}

}  // namespace

const OpcodeRow* findRow(spv::Op opcode) { return findNumber(uint32_t(opcode)); }

const OpcodeRow* findRow(std::string_view set, uint32_t number) {
    if (number > 0xFFFF) return nullptr;
    if (set == "GLSL.std.450") return findNumber(kGlslSet + number);
    return set == "NonSemantic.DebugPrintf" ? findNumber(kPrintfSet + number) : nullptr;
}

Step run(Subgroup& s, size_t depth) {
    const bool tracksDefined = s.checks(kCheckUndefined);
    Step step = Step::kBranched;
    while (step == Step::kBranched && s.frames.size() > depth) {
        if (s.group->sink->stopped()) return Step::kStop;
        if (const uint64_t most = s.group->settings->steps; most != 0 && s.steps++ >= most) {
            s.group->sink->stop(std::format("a subgroup has executed {} blocks", most));
            return Step::kStop;
        }
        step = runBlock(s, tracksDefined);
    }
    return step;
}

bool callFunction(Subgroup& s, const Function& function, std::span<const Value> arguments,
                  LaneMask mask) {
    const LaneMask before = s.mask;
    for (size_t p = 0; p < function.parameters.size() && p < arguments.size(); ++p)
        copyValue(s, s.values[function.parameters[p]], arguments[p], mask);
    const size_t depth = s.frames.size();
    enter(s, function, mask, kNone);
    Step step = Step::kYield;
    while (step == Step::kYield) step = run(s, depth);
    if (step == Step::kMeet)
        s.report(kCheckDivergence, *s.meeting, mask.first(),
                 "subgroups cannot meet in a function that another instruction calls");
    s.frames.resize(depth);
    s.mask = before;
    return step == Step::kBranched;
}

void copyComponents(Subgroup& s, const Value& to, uint32_t toFirst, const Value& from,
                    uint32_t fromFirst, uint32_t count, LaneMask mask) {
    const uint32_t lanes = to.lanes;
    const bool whole = mask == LaneMask::firstLanes(lanes);
    if (whole)
        std::memmove(to.component(toFirst), from.component(fromFirst),
                     size_t{count} * lanes * sizeof(uint64_t));
    for (uint32_t c = 0; c < count; ++c) {
        uint64_t* target = to.component(toFirst + c);
        const uint64_t* source = from.component(fromFirst + c);
        if (!whole) mask.forEach([&](uint32_t lane) { target[lane] = source[lane]; });
        to.define(toFirst + c, from.defined[fromFirst + c], mask);
        if (!s.holes.empty())
            s.holes.set(to.defined + toFirst + c, s.holes.of(from.defined + fromFirst + c), mask);
    }
}

void executeOnConstants(Program& program, const Instruction& i) {
    Subgroup s;
    s.program = &program;
    s.lanes = program.lanes;
    s.all = s.mask = LaneMask::firstLanes(program.lanes);
    s.values.resize(program.slots.size());
    for (size_t each = 0; each < program.slots.size(); ++each) {
        const Slot& slot = program.slots[each];
        if (!slot.constant) continue;
        s.values[each] = {program.constantData.data() + slot.storage * program.lanes,
                          program.constantDefined.data() + slot.storage, slot.type, program.lanes};
    }
    (void)i.handler(s, i);
    if (i.row->defined != Defined::kHandler) propagate(s, i, s.mask);
}

}  // namespace coopvk::reference
