// SPDX-License-Identifier: Apache-2.0
//
// Barriers and cooperative instructions that not all invocations reach, or not in the same
// iteration and call; and reliance on reconvergence that nothing promised.
#include <algorithm>
#include <format>
#include <spirv/unified1/spirv.hpp11>

#include "checks/checks.hpp"

namespace coopvk::reference::checks {
namespace {

bool isBarrier(uint32_t opcode) {
    constexpr spv::Op kOpcodes[] = {spv::Op::OpControlBarrier, spv::Op::OpControlBarrierArriveEXT,
                                    spv::Op::OpControlBarrierWaitEXT};
    return std::ranges::find(kOpcodes, spv::Op(opcode)) != std::end(kOpcodes);
}

void checkReached(const Moment& at) {
    const LaneMask others = at.all() & ~at.active();
    if (others.any())
        at.report(kCheckDivergence, others.first(),
                  isBarrier(at.opcode())
                      ? "a barrier that this lane does not reach with the others"
                      : "a cooperative instruction is not executed by this invocation");
}

void checkMet(const Moment& first, std::span<const Waits> all) {
    const Waits& here = all[first.subgroup()];
    for (size_t s = 0; s < all.size(); ++s) {
        const Waits& there = all[s];
        const char* fault = there.hasEnded                    ? "ended without it"
                            : there.word != here.word         ? "waits at another instruction"
                            : there.instance != here.instance ? "waits in another iteration or call"
                                                              : nullptr;
        if (fault != nullptr)
            first.report(kCheckDivergence, 0, std::format("subgroup {} {}", s, fault));
    }
}

class Divergence final : public Observer {
 public:
    uint32_t events() const override { return kEventBarrier; }
    void barrier(const Moment& at, const Barrier& barrier) override {
        if (barrier.stage == Barrier::kReached) checkReached(at);
        if (barrier.stage == Barrier::kMet) checkMet(at, barrier.subgroups);
        if (barrier.stage == Barrier::kApart)
            at.report(kCheckDivergence, at.active().first(),
                      "a barrier that lanes reach apart, since nothing promised that they come "
                      "together before it");
    }
};

}  // namespace

std::unique_ptr<Observer> divergence(const Settings&, bool) {
    return std::make_unique<Divergence>();
}

}  // namespace coopvk::reference::checks
