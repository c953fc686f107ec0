// SPDX-License-Identifier: Apache-2.0
//
// How lanes part and meet: those that wait at the block nearest to the function's start go first,
// so that all arrive at a merge block before any goes on from it. And barriers (SPIR-V, 3.52.20),
// the clock, and instructions without an effect here.
#include <chrono>

#include "execution/opcode_table.hpp"
#include "execution/tangles.hpp"
#include "memory/pointer.hpp"
#include "stages/lists.hpp"

namespace coopvk::reference {
namespace {

void wait(Frame& frame, uint32_t block, LaneMask mask) {
    auto at = frame.waiting.end();
    while (at != frame.waiting.begin() && (at - 1)->block < block) --at;
    if (at == frame.waiting.begin() || (at - 1)->block != block)
        at = frame.waiting.insert(at, Waiting{block, {}}) + 1;
    (at - 1)->mask |= mask;
}

// Lanes go along an edge and wait at its block.
void send(Subgroup& s, Frame& frame, const Edge& edge, LaneMask mask) {
    if (mask.none()) return;
    pass(s, edge, mask);
    wait(frame, edge.block, mask);
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

void tellBranch(Subgroup& s, std::span<const Parting> parts) {
    std::vector<Branched> branched;
    for (const Parting& part : parts) {
        const Function& function = *s.frames.back().function;
        branched.push_back({function.blocks[part.edge->block].instructions[0].word, part.mask});
    }
    s.tell<&Observer::branch>(kEventBranch, std::span<const Branched>(branched));
}

// All lanes go along an edge, or parts along several ones.
Step leave(Subgroup& s, std::span<const Parting> parts) {
    if (s.observes(kEventBranch)) tellBranch(s, parts);
    if (s.tangles != nullptr) return branchApart(s, parts);
    Frame& frame = s.frames.back();
    if (parts.size() == 1 && frame.waiting.empty()) {
        pass(s, *parts[0].edge, s.mask);
        frame.block = parts[0].edge->block;
        frame.position = 0;
        return Step::kBranched;
    }
    for (const Parting& part : parts) send(s, frame, *part.edge, part.mask);
    return resume(s);
}

Step branch(Subgroup& s) {
    const Parting part{&blockOf(s.frames.back()).edges[0], s.mask};
    return leave(s, {&part, 1});
}

Step branchConditional(Subgroup& s, In condition) {
    const Block& block = blockOf(s.frames.back());
    s.uses({kEventCondition, 0});
    const LaneMask taken = lanesWith(s, condition.component(0));
    const Parting parts[] = {{&block.edges[0], taken}, {&block.edges[1], s.mask & ~taken}};
    const bool goesFirst = parts[0].mask.any(), goesSecond = parts[1].mask.any();
    return leave(s, std::span(parts).subspan(goesFirst ? 0 : 1, goesFirst && goesSecond ? 2 : 1));
}

// Operands: selector, default, then pairs of a literal and a label.
Step switchCases(Subgroup& s, In selector) {
    const Block& block = blockOf(s.frames.back());
    s.uses({kEventCondition, 0});
    const uint64_t bits = lowBits(selector.type->width);
    LaneMask rest = s.mask;
    std::vector<Parting> parts;
    const auto add = [&](const Edge& edge, LaneMask mask) {
        const auto same =
            std::ranges::find(parts, edge.block, [](const Parting& p) { return p.edge->block; });
        if (same != parts.end())
            same->mask |= mask;
        else if (mask.any())
            parts.push_back({&edge, mask});
    };
    for (uint32_t at = 2, edge = 1; at + 1 < s.operands(); at += 2, ++edge) {
        const uint64_t literal = (*s.at)[at].literal() & bits;
        const LaneMask taken =
            rest & lanesWhere(s, [&](uint32_t lane) { return selector.at(0, lane) == literal; });
        rest &= ~taken;
        add(block.edges[edge], taken);
    }
    add(block.edges[0], rest);
    return leave(s, parts);
}

Step returnFrom(Subgroup& s) {
    s.tell<&Observer::call>(kEventCall, CallKind::kReturns);
    if (s.at->opcode == OpReturnValue) copyValue(s, s.values[s.at->result], s.operand(0), s.mask);
    if (s.frames.size() == 1) finishInvocations(s, s.mask);
    if (s.tangles != nullptr) return returnApart(s);
    s.frames.back().returned |= s.mask;
    return resume(s);
}

Step terminate(Subgroup& s) {
    endEarly(s, kKilled, s.mask);
    return endLanes(s);
}

// Operands: function, arguments.
Step call(Subgroup& s) {
    const Function* function = s.program->function(s.word(0));
    if (function == nullptr) return Step::kStop;
    s.tell<&Observer::call>(kEventCall, CallKind::kEnters);
    for (uint32_t p = 0; p < function->parameters.size(); ++p)
        copyValue(s, s.values[function->parameters[p]], s.operand(p + 1), s.mask);
    if (s.tangles != nullptr) return callApart(s, *function);
    enter(s, *function, s.mask, s.at->result);
    return Step::kBranched;
}

void tellBarrier(Subgroup& s, Barrier::Stage stage, uint32_t scope) {
    if (!s.observes(kEventBarrier)) return;
    const auto semantics = semanticsOf(spv::Scope(s.first(scope)), uint32_t(s.first(scope + 1)));
    s.tell<&Observer::barrier>(kEventBarrier, Barrier{stage, semantics});
}

// Operands: scope of execution, scope of memory, semantics.
Step controlBarrier(Subgroup& s) {
    const Reach scope = reachOf(spv::Scope(s.first(0)));
    const bool meets = scope >= Reach::kWorkgroup;
    if (meets && s.phase == 0 && s.tangles != nullptr)
        if (const Step step = waitApart(s); step != Step::kNext) return step;
    if (s.phase == 0) tellBarrier(s, Barrier::kReached, 1);
    if (scope == Reach::kSubgroup) tellBarrier(s, Barrier::kLanesMet, 1);
    return meets && s.phase == 0 ? Step::kMeet : Step::kNext;
}

// SPV_EXT_split_barrier. The invocations meet at the wait.
void arrive(Subgroup& s) {
    tellBarrier(s, Barrier::kReached, 1);
    tellBarrier(s, Barrier::kArrived, 1);
}

// Operands: scope, semantics.
void memoryBarrier(Subgroup& s) { tellBarrier(s, Barrier::kMemory, 0); }

void assume(Subgroup& s) { s.uses({kEventAssumption, 0}); }

// SPV_KHR_shader_clock: 64 bits, or two words, the lower first. One clock for all scopes.
void readClock(Subgroup& s, Out result) {
    const auto now = uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
    const uint64_t mask = lowBits(scalarOf(s.type()).width);
    if (s.type().components > 1)
        forLanes(s, [&](uint32_t lane) { result.at(1, lane) = now >> 32; });
    setLanes(s, [&](uint32_t) { return now & mask; });
}

void nothing(Subgroup&) {}

constexpr OpcodeRow kControlRows[] = {
    row<branch>(OpBranch),
    row<branchConditional>(OpBranchConditional),
    row<switchCases>(OpSwitch),
    row<returnFrom>(OpReturn),
    row<returnFrom>(OpReturnValue),
    row<terminate>(OpKill),
    row<terminate>(OpTerminateInvocation),
    row<terminate>(OpUnreachable),
    row<call>(OpFunctionCall),
    row<controlBarrier>(OpControlBarrier),
    row<arrive>(OpControlBarrierArriveEXT),
    row<controlBarrier>(OpControlBarrierWaitEXT),
    row<memoryBarrier>(OpMemoryBarrier),
    row<assume>(OpAssumeTrueKHR),
    row<readClock>(OpReadClockKHR, Defined::kAlways),
    row<nothing>(OpUntypedPrefetchKHR),
};

}  // namespace

Rows controlRows() { return kControlRows; }

void pass(Subgroup& s, const Edge& edge, LaneMask mask) {
    if (edge.loop != kNone)
        s.iterations[edge.loop] = edge.repeats ? s.iterations[edge.loop] + 1 : 0;
    for (const auto& [to, from] : edge.copies) copyValue(s, s.values[to], s.values[from], mask);
}

Step arriveAt(Subgroup& s, uint32_t block, LaneMask mask) {
    wait(s.frames.back(), block, mask);
    return resume(s);
}

Step endLanes(Subgroup& s) {
    s.tell<&Observer::call>(kEventCall, CallKind::kEnds);
    return s.tangles != nullptr ? endApart(s) : resume(s);
}

Step leaveFunction(Subgroup& s, LaneMask mask) {
    s.frames.back().returned |= mask;
    return resume(s);
}

uint64_t dynamicInstance(const Subgroup& s) {
    uint64_t instance = s.frames.size();
    const auto add = [&](uint64_t part) { instance = spread(instance ^ part); };
    for (const Frame& frame : s.frames) {
        add(uint64_t{frame.block} << 32 | frame.position);
        for (const Loop& loop : frame.function->loops)
            if (loop.first <= frame.block && frame.block < loop.end) add(s.iterations[loop.number]);
    }
    return instance;
}

void enter(Subgroup& s, const Function& function, LaneMask mask, uint32_t result) {
    Frame& frame = s.frames.emplace_back();
    frame.function = &function;
    frame.result = result;
    s.mask = mask;
}

}  // namespace coopvk::reference
