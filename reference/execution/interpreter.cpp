// SPDX-License-Identifier: Apache-2.0
//
// The table of opcodes, the loop that executes instructions, and where results are defined.
#include <cstring>

#include "execution/opcode_table.hpp"
#include "execution/shadow.hpp"
#include "execution/tangles.hpp"

namespace coopvk::reference {
namespace {

constexpr Rows (*kFamilies[])() = {
    controlRows,  compositeRows,    integerRows, floatRows,  conversionRows, linearRows,
    subgroupRows, printRows,        chainRows,   accessRows, atomicRows,     imageRows,
    matrixRows,   matrixMemoryRows, tensorRows,  vectorRows, blockRows,      stageRows,
};

const OpcodeRow* findNumber(uint32_t opcode) {
    static const auto table = [] {
        std::unordered_map<uint32_t, const OpcodeRow*> rows;
        for (const auto family : kFamilies)
            for (const OpcodeRow& row : family()) rows.emplace(row.opcode, &row);
        return rows;
    }();
    const auto* found = valueIn(table, opcode);
    return found != nullptr ? *found : nullptr;
}

void propagate(Subgroup& s) {
    const Value& result = s.result();
    const Defined defined = s.at->row->defined;
    LaneMask whole = LaneMask::firstLanes(kMaxLanes);
    if (defined == Defined::kAll)
        for (const Operand& operand : s.at->operands)
            if (operand.slot != kNone) whole &= definedInAll(s.values[operand.slot]);
    for (uint32_t c = 0; c < result.components(); ++c) {
        LaneMask where = whole;
        for (const Operand& operand : s.at->operands) {
            if (defined != Defined::kComponentwise || operand.slot == kNone) continue;
            const Value& value = s.values[operand.slot];
            const uint32_t count = value.components();
            if (count > 0) where &= value.defined[std::min(c, count - 1)];  // 0: an empty structure
        }
        result.define(c, where, s.mask);
    }
    for (const auto& [component, lane] : s.outside) result.defined[component].clear(lane);
    s.outside.clear();
}

// Of the result that an instruction has given.
void afterResult(Subgroup& s, const Instruction& at, bool tracksDefined) {
    if (tracksDefined && at.row->defined != Defined::kHandler && at.handler == at.row->handler)
        propagate(s);
    if (s.observes(kEventValue) && s.at == &at) s.tell<&Observer::value>(kEventValue);
}

// Instructions of one block, until one branches, meets others, yields or stops.
Step runBlock(Subgroup& s, bool tracksDefined) {
    const bool follows = tracksDefined || s.observes(kEventValue);
    const bool tells = s.observes(kEventInstruction);
    Frame& frame = s.frames.back();
    const Instruction* at = &frame.function->blocks[frame.block].instructions[frame.position];
    for (;; ++at) {
        ++frame.position;
        s.at = at;
        const Step step = s.shadow != nullptr ? s.shadow->execute(s) : at->handler(s);
        if (follows && at->result != kNone) afterResult(s, *at, tracksDefined);
        if (tells) afterInstruction(s, step);
        if (step != Step::kNext) return step;
    }
}

}  // namespace

const OpcodeRow* findRow(spv::Op opcode) { return findNumber(uint32_t(opcode)); }

const OpcodeRow* findRow(std::string_view set, uint32_t number) {
    if (number != uint16_t(number)) return nullptr;
    if (set == "GLSL.std.450") return findNumber(kGlslSet + number);
    return set == "NonSemantic.DebugPrintf" ? findNumber(kPrintfSet + number) : nullptr;
}

namespace {

// Whether there are steps left.
bool mayStep(Subgroup& s) {
    if (s.group->sink->stopped()) return false;
    const uint64_t most = s.group->settings->steps;
    if (most == 0 || s.steps++ < most) return true;
    s.group->sink->stop(std::format("a subgroup has executed {} blocks", most));
    return false;
}
bool tracksDefined(const Subgroup& s) {
    return s.checks(kCheckUndefined) || s.observes(kEventUndefinedStore);
}

}  // namespace

Step run(Subgroup& s, size_t depth) {
    const bool tracks = tracksDefined(s);
    const bool isApart = depth == 0 && s.tangles != nullptr && s.frames.empty();
    Step step = isApart ? resumeApart(s) : Step::kBranched;
    while (step == Step::kBranched && s.frames.size() > depth)
        step = mayStep(s) ? runBlock(s, tracks) : Step::kStop;
    return step;
}

Step runTo(Subgroup& s, size_t depth, uint32_t block) {
    const bool tracks = tracksDefined(s);
    Step step = Step::kBranched;
    while (step == Step::kBranched && s.frames.size() >= depth &&
           (s.frames.size() > depth || s.frames.back().block < block))
        step = mayStep(s) ? runBlock(s, tracks) : Step::kStop;
    return step;
}

bool callFunction(Subgroup& s, const Function& function, std::span<const Value> arguments,
                  LaneMask mask) {
    const LaneMask before = s.mask;
    const Instruction* caller = s.at;
    for (size_t p = 0; p < function.parameters.size(); ++p)
        copyValue(s, s.values[function.parameters[p]], arguments[p], mask);
    s.tell<&Observer::call>(kEventCall, CallKind::kEnters);
    const size_t depth = s.frames.size();
    const auto tangles = std::exchange(s.tangles, nullptr);  // all return before it goes on
    const Instruction* const elementsOf = std::exchange(s.elementsOf, caller);
    enter(s, function, mask, kNone);
    Step step = Step::kYield;
    while (step == Step::kYield) step = run(s, depth);
    if (step == Step::kMeet)
        s.report(kCheckDivergence, mask.first(),
                 "subgroups cannot meet in a function that another instruction calls");
    s.tangles = tangles;
    s.elementsOf = elementsOf;
    s.frames.resize(depth);
    s.mask = before;
    s.at = caller;
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
        if (!s.strays.empty()) {
            const Value target = to.part(*to.type, toFirst + c);
            s.setStrays(target, s.straysOf(from.part(*from.type, fromFirst + c)), mask);
        }
        uint64_t* target = to.component(toFirst + c);
        const uint64_t* source = from.component(fromFirst + c);
        if (!whole) mask.forEach([&](uint32_t lane) { target[lane] = source[lane]; });
        to.define(toFirst + c, from.defined[fromFirst + c], mask);
        if (to.deviations != nullptr)
            mask.forEach([&](uint32_t lane) {
                to.setDeviation(toFirst + c, lane, from.deviationAt(fromFirst + c, lane));
            });
        if (!s.holes.empty())
            s.holes.set(to.defined + toFirst + c, s.holes.of(from.defined + fromFirst + c), mask);
    }
}

void executeOnConstants(Program& program, const Instruction& i) {
    Subgroup s;
    s.at = &i;
    s.program = &program;
    s.lanes = program.lanes;
    s.all = s.mask = LaneMask::firstLanes(program.lanes);
    s.values.resize(program.slots.size());
    for (size_t each = 0; each < program.slots.size(); ++each)
        if (program.slots[each].constant) s.values[each] = program.constant(each);
    (void)i.handler(s);
    if (i.row->defined != Defined::kHandler) propagate(s);
}

}  // namespace coopvk::reference
