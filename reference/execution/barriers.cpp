// SPDX-License-Identifier: Apache-2.0
//
// Barriers (SPIR-V, 3.52.20; SPV_EXT_split_barrier), the clock, and instructions without an effect
// here.
#include <chrono>

#include "execution/frame.hpp"
#include "execution/opcode_table.hpp"
#include "memory/races.hpp"

namespace coopvk::reference {

namespace {

spv::Scope scopeOf(Subgroup& s, const Instruction& i, uint32_t operand) {
    return static_cast<spv::Scope>(s.operand(i, operand).at(0, s.mask.first()));
}

// Operands: scope of execution, scope of memory, semantics.
Step controlBarrier(Subgroup& s, const Instruction& i) {
    if (s.phase == 0 && s.mask != s.all)
        s.report(kCheckDivergence, i, (s.all & ~s.mask).first(),
                 "a barrier that this lane does not reach with the others");
    const bool meets = scopeOf(s, i, 0) < spv::Scope::Subgroup;
    if (!meets && s.group->races != nullptr) s.group->races->meetLanes(s, i);
    return meets && s.phase == 0 ? Step::kMeet : Step::kNext;
}

// The invocations meet at the wait. Accesses between the arrival and the wait count as before both,
// so their races with what follows the wait are not found.
Step arrive(Subgroup& s, const Instruction& i) {
    if (s.mask != s.all)
        s.report(kCheckDivergence, i, (s.all & ~s.mask).first(),
                 "a barrier that this lane does not reach with the others");
    if (s.group->races != nullptr)
        s.group->races->arrive(static_cast<uint32_t>(s.operand(i, 2).at(0, s.mask.first())));
    return Step::kNext;
}

// Operands: scope, semantics.
Step memoryBarrier(Subgroup& s, const Instruction& i) {
    const auto semantics = static_cast<uint32_t>(s.operand(i, 1).at(0, s.mask.first()));
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
    const Value result = s.result(i);
    const auto now =
        static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    for (uint32_t c = 0; c < result.components(); ++c)
        forLanes(s, [&](uint32_t lane) {
            result.at(c, lane) = (now >> (c * 32)) & widthMask(scalarOf(*i.type).width);
        });
    return Step::kNext;
}

Step nothing(Subgroup&, const Instruction&) { return Step::kNext; }

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpControlBarrier, controlBarrier),
    row(spv::Op::OpControlBarrierArriveEXT, arrive),
    row(spv::Op::OpControlBarrierWaitEXT, controlBarrier),
    row(spv::Op::OpMemoryBarrier, memoryBarrier),
    row(spv::Op::OpAssumeTrueKHR, assume),
    row(spv::Op::OpReadClockKHR, readClock, Defined::kAlways),
    row(spv::Op::OpUntypedPrefetchKHR, nothing),
};

}  // namespace

Rows barrierRows() { return kRows; }

}  // namespace coopvk::reference
