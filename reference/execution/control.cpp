// SPDX-License-Identifier: Apache-2.0
//
// How lanes part and meet: those that wait at the block nearest to the function's start go first,
// so that all arrive at a merge block before any goes on from it.
#include <algorithm>

#include "execution/frame.hpp"
#include "execution/opcode_table.hpp"

namespace coopvk::reference {

namespace {

using enum spv::Op;

// Copies to the phis of an edge, all at once.
void copyPhis(Subgroup& s, const Edge& edge, LaneMask mask) {
    if (!edge.staged) {
        for (const auto& [to, from] : edge.copies) copyValue(s.values[to], s.values[from], mask);
        return;
    }
    size_t components = 0;
    for (const auto& [to, from] : edge.copies) components += s.values[to].components();
    s.staging.resize(std::max(s.staging.size(), components * s.lanes));
    s.stagingDefined.resize(std::max(s.stagingDefined.size(), components));
    for (const bool out : {false, true}) {
        size_t first = 0;
        for (const auto& [to, from] : edge.copies) {
            const Value staged{s.staging.data() + first * s.lanes, s.stagingDefined.data() + first,
                               s.values[to].type, s.lanes};
            out ? copyValue(s.values[to], staged, mask) : copyValue(staged, s.values[from], mask);
            first += staged.components();
        }
    }
}

// Lanes go along an edge and wait at its block.
void send(Subgroup& s, Frame& frame, const Edge& edge, LaneMask mask) {
    if (mask.none()) return;
    copyPhis(s, edge, mask);
    auto at = frame.waiting.end();
    while (at != frame.waiting.begin() && (at - 1)->block < edge.block) --at;
    if (at != frame.waiting.begin() && (at - 1)->block == edge.block) {
        (at - 1)->mask |= mask;
    } else {
        frame.waiting.insert(at, {edge.block, mask});
    }
}

// The lanes that go on: those at the nearest block, or the caller's.
Step resume(Subgroup& s) {
    while (!s.frames.empty()) {
        Frame& frame = s.frames.back();
        if (!frame.waiting.empty()) {
            frame.block = frame.waiting.back().block;
            frame.mask = frame.waiting.back().mask;
            frame.waiting.pop_back();
            frame.position = 0;
            s.mask = frame.mask;
            return Step::kBranched;
        }
        const LaneMask returned = frame.returned;
        const uint32_t from = frame.function->result, to = frame.result;
        s.frames.pop_back();
        if (s.frames.empty()) break;
        if (to != kNone) copyValue(s.values[to], s.values[from], returned);
        s.frames.back().mask = returned;
        s.mask = returned;
        if (returned.any()) return Step::kBranched;
    }
    return Step::kBranched;
}

const Block& blockOf(const Frame& frame) { return frame.function->blocks[frame.block]; }

// All lanes go along an edge.
Step follow(Subgroup& s, Frame& frame, const Edge& edge) {
    if (!frame.waiting.empty()) {
        send(s, frame, edge, s.mask);
        return resume(s);
    }
    copyPhis(s, edge, s.mask);
    frame.block = edge.block;
    frame.position = 0;
    return Step::kBranched;
}

Step branch(Subgroup& s, const Instruction&) {
    Frame& frame = s.frames.back();
    return follow(s, frame, blockOf(frame).edges[0]);
}

void checkCondition(Subgroup& s, const Instruction& i, const Value& condition) {
    if (!s.checks(kCheckUndefined)) return;
    const LaneMask undefined = s.mask & ~condition.defined[0];
    if (undefined.any())
        s.report(kCheckUndefined, i, undefined.first(), "a branch depends on an undefined value");
}

Step branchConditional(Subgroup& s, const Instruction& i) {
    Frame& frame = s.frames.back();
    const Block& block = blockOf(frame);
    const Value condition = s.operand(i, 0);
    checkCondition(s, i, condition);
    const LaneMask taken = lanesWith(s, condition.component(0));
    const LaneMask rest = s.mask & ~taken;
    if (taken.none() || rest.none()) return follow(s, frame, block.edges[taken.none() ? 1 : 0]);
    send(s, frame, block.edges[0], taken);
    send(s, frame, block.edges[1], rest);
    return resume(s);
}

// Operands: selector, default, then pairs of a literal and a label.
Step switchCases(Subgroup& s, const Instruction& i) {
    Frame& frame = s.frames.back();
    const Block& block = blockOf(frame);
    const Value selector = s.operand(i, 0);
    checkCondition(s, i, selector);
    const uint64_t bits = widthMask(selector.type->width);
    LaneMask rest = s.mask;
    for (uint32_t at = 2, edge = 1; at + 1 < i.operands.size(); at += 2, ++edge) {
        const uint64_t literal = (i[at].word | uint64_t{i[at].high} << 32) & bits;
        LaneMask taken;
        rest.forEach([&](uint32_t lane) {
            if (selector.at(0, lane) == literal) taken.set(lane);
        });
        rest &= ~taken;
        send(s, frame, block.edges[edge], taken);
    }
    send(s, frame, block.edges[0], rest);
    return resume(s);
}

Step returnFrom(Subgroup& s, const Instruction& i) {
    if (i.opcode == OpReturnValue) copyValue(s.values[i.result], s.operand(i, 0), s.mask);
    s.frames.back().returned |= s.mask;
    return resume(s);
}

Step terminate(Subgroup& s, const Instruction& i) {
    if (i.opcode == OpUnreachable)
        s.report(kCheckProgram, i, s.mask.first(), "a lane reached what must not be reached");
    s.ended |= s.mask;
    return resume(s);
}

// Operands: function, arguments.
Step call(Subgroup& s, const Instruction& i) {
    const auto found = s.program->functionOf.find(i[0].word);
    if (found == s.program->functionOf.end()) return Step::kStop;
    const Function& function = *found->second;
    for (uint32_t p = 0; p < function.parameters.size(); ++p)
        copyValue(s.values[function.parameters[p]], s.operand(i, p + 1), s.mask);
    enter(s, function, s.mask, i.result);
    return Step::kBranched;
}

constexpr OpcodeRow kRows[] = {
    row(OpBranch, branch),
    row(OpBranchConditional, branchConditional),
    row(OpSwitch, switchCases),
    row(OpReturn, returnFrom),
    row(OpReturnValue, returnFrom),
    row(OpKill, terminate),
    row(OpTerminateInvocation, terminate),
    row(OpUnreachable, terminate),
    row(OpFunctionCall, call),
};

}  // namespace

Rows controlRows() { return kRows; }

void enter(Subgroup& s, const Function& function, LaneMask mask, uint32_t result) {
    Frame& frame = s.frames.emplace_back();
    frame.function = &function;
    frame.mask = mask;
    frame.result = result;
    s.mask = mask;
}

}  // namespace coopvk::reference
