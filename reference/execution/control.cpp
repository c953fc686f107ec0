// SPDX-License-Identifier: Apache-2.0
//
// How lanes part and meet: those that wait at the block nearest to the function's start go first,
// so that all arrive at a merge block before any goes on from it. And barriers (SPIR-V, 3.52.20),
// the clock, and instructions without an effect here.
#include <algorithm>
#include <chrono>

#include "execution/opcode_table.hpp"
#include "memory/races.hpp"

namespace coopvk::reference {
namespace {

// Copies to the phis of an edge, all at once.
void copyPhis(Subgroup& s, const Edge& edge, LaneMask mask) {
    if (!edge.staged) {
        for (const auto& [to, from] : edge.copies) copyValue(s, s.values[to], s.values[from], mask);
        return;
    }
    size_t components = 0;
    for (const auto& [to, from] : edge.copies) components += s.values[to].components();
    s.staging.resize(std::max(s.staging.size(), components * s.lanes));
    s.stagingDefined.resize(std::max(s.stagingDefined.size(), components));
    for (const bool out : {false, true}) {
        Value staged{s.staging.data(), s.stagingDefined.data(), nullptr, s.lanes};
        for (const auto& [to, from] : edge.copies) {
            staged.type = s.values[to].type;
            out ? copyValue(s, s.values[to], staged, mask)
                : copyValue(s, staged, s.values[from], mask);
            staged = staged.part(*staged.type, staged.components());
        }
    }
}

// Lanes go along an edge and wait at its block.
void send(Subgroup& s, Frame& frame, const Edge& edge, LaneMask mask) {
    if (mask.none()) return;
    copyPhis(s, edge, mask);
    auto at = frame.waiting.end();
    while (at != frame.waiting.begin() && (at - 1)->block < edge.block) --at;
    if (at == frame.waiting.begin() || (at - 1)->block != edge.block)
        at = frame.waiting.insert(at, Waiting{edge.block, {}}) + 1;
    (at - 1)->mask |= mask;
}

// The lanes that go on: those at the nearest block, or the caller's.
Step resume(Subgroup& s) {
    s.mask = {};
    while (s.mask.none() && !s.frames.empty()) {
        Frame& frame = s.frames.back();
        if (!frame.waiting.empty()) {
            frame.block = frame.waiting.back().block;
            frame.position = 0;
            s.mask = frame.waiting.back().mask;
            frame.waiting.pop_back();
            break;
        }
        s.mask = frame.returned;
        if (frame.result != kNone)
            copyValue(s, s.values[frame.result], s.values[frame.function->result], s.mask);
        s.frames.pop_back();
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

constexpr auto kUndefinedCondition = "a branch depends on an undefined value";

Step branchConditional(Subgroup& s, const Instruction& i) {
    Frame& frame = s.frames.back();
    const Block& block = blockOf(frame);
    const Value condition = s.operand(i, 0);
    s.require(i, condition, 0, kUndefinedCondition);
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
    s.require(i, selector, 0, kUndefinedCondition);
    const uint64_t bits = lowBits(selector.type->width);
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
    if (i.opcode == OpReturnValue) copyValue(s, s.values[i.result], s.operand(i, 0), s.mask);
    s.frames.back().returned |= s.mask;
    return resume(s);
}

Step terminate(Subgroup& s, const Instruction& i) {
    if (i.opcode == OpUnreachable)
        s.report(kCheckProgram, i, s.mask.first(), "a lane reached what must not be reached");
    return resume(s);
}

// Operands: function, arguments.
Step call(Subgroup& s, const Instruction& i) {
    const Function* function = s.program->function(i[0].word);
    if (function == nullptr) return Step::kStop;
    for (uint32_t p = 0; p < function->parameters.size(); ++p)
        copyValue(s, s.values[function->parameters[p]], s.operand(i, p + 1), s.mask);
    enter(s, *function, s.mask, i.result);
    return Step::kBranched;
}

void checkReached(Subgroup& s, const Instruction& i) {
    if (s.mask != s.all)
        s.report(kCheckDivergence, i, (s.all & ~s.mask).first(),
                 "a barrier that this lane does not reach with the others");
}

// Operands: scope of execution, scope of memory, semantics.
Step controlBarrier(Subgroup& s, const Instruction& i) {
    if (s.phase == 0) checkReached(s, i);
    const auto scope = spv::Scope(s.operand(i, 0).at(0, s.mask.first()));
    const bool meets = scope < spv::Scope::Subgroup;
    if (!meets && s.group->races != nullptr) s.group->races->meetLanes(s, i);
    return meets && s.phase == 0 ? Step::kMeet : Step::kNext;
}

// SPV_EXT_split_barrier. The invocations meet at the wait. Accesses between the arrival and the
// wait count as before both, so their races with what follows the wait are not found.
Step arrive(Subgroup& s, const Instruction& i) {
    checkReached(s, i);
    if (s.group->races != nullptr)
        s.group->races->arrive(uint32_t(s.operand(i, 2).at(0, s.mask.first())));
    return Step::kNext;
}

// Operands: scope, semantics.
Step memoryBarrier(Subgroup& s, const Instruction& i) {
    const auto semantics = uint32_t(s.operand(i, 1).at(0, s.mask.first()));
    if (s.group->races != nullptr) s.group->races->fence(s, semantics);
    return Step::kNext;
}

Step assume(Subgroup& s, const Instruction& i) {
    const Value condition = s.operand(i, 0);
    s.mask.forEach([&](uint32_t lane) {
        if (condition.at(0, lane) == 0)
            s.report(kCheckProgram, i, lane, "an assumption does not hold");
    });
    return Step::kNext;
}

// SPV_KHR_shader_clock: 64 bits, or two words, the lower first. One clock for all scopes.
Step readClock(Subgroup& s, const Instruction& i) {
    const auto now = uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
    const uint64_t mask = lowBits(scalarOf(*i.type).width);
    if (i.type->components > 1)
        forLanes(s, [&](uint32_t lane) { s.result(i).at(1, lane) = now >> 32; });
    return setLanes(s, i, [&](uint32_t) { return now & mask; });
}

Step nothing(Subgroup&, const Instruction&) { return Step::kNext; }

constexpr OpcodeRow kControlRows[] = {
    row(OpBranch, branch),
    row(OpBranchConditional, branchConditional),
    row(OpSwitch, switchCases),
    row(OpReturn, returnFrom),
    row(OpReturnValue, returnFrom),
    row(OpKill, terminate),
    row(OpTerminateInvocation, terminate),
    row(OpUnreachable, terminate),
    row(OpFunctionCall, call),
    row(OpControlBarrier, controlBarrier),
    row(OpControlBarrierArriveEXT, arrive),
    row(OpControlBarrierWaitEXT, controlBarrier),
    row(OpMemoryBarrier, memoryBarrier),
    row(OpAssumeTrueKHR, assume),
    row(OpReadClockKHR, readClock, Defined::kAlways),
    row(OpUntypedPrefetchKHR, nothing),
};

}  // namespace

Rows controlRows() { return kControlRows; }

void enter(Subgroup& s, const Function& function, LaneMask mask, uint32_t result) {
    Frame& frame = s.frames.emplace_back();
    frame.function = &function;
    frame.result = result;
    s.mask = mask;
}

}  // namespace coopvk::reference
