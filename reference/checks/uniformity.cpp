// SPDX-License-Identifier: Apache-2.0
//
// Operands that must be the same in all invocations, and are not; descriptors that differ, if the
// pointer is not decorated NonUniform.
#include <format>

#include "checks/checks.hpp"

namespace coopvk::reference::checks {
namespace {

void checkOperand(const Moment& at, const Use& use) {
    const Moment& first = use.first != nullptr ? *use.first : at;
    const auto value = at.operand(use.operand), other = first.operand(use.operand);
    if (!value || !other) return;
    // The first active lane, perhaps of the lane's part of the subgroup.
    const auto firstFor = [&](uint32_t lane) {
        if (use.size == 0) return first.active().first();
        const uint32_t begin = lane / use.size * use.size;
        return (first.active() & ~LaneMask::firstLanes(begin)).first();
    };
    for (uint32_t c = 0; c < value->components; ++c) {
        at.active().forEach([&](uint32_t lane) {
            const uint64_t bits = other->at(c, firstFor(lane));
            if (value->at(c, lane) != bits)
                at.report(kCheckUniformity, lane,
                          std::format("operand {} is {} here and {} in another invocation",
                                      use.operand, value->at(c, lane), bits));
        });
    }
}

void checkDescriptor(const Moment& at, uint32_t operand) {
    const uint32_t first = at.active().first();
    const Range* range = at.pointer(operand, first).range;
    at.active().forEach([&](uint32_t lane) {
        if (at.pointer(operand, lane).range != range)
            at.report(kCheckUniformity, lane,
                      std::format("accesses another descriptor than lane {}, and the pointer is "
                                  "not decorated NonUniform",
                                  first));
    });
}

class Uniformity final : public Observer {
 public:
    uint32_t events() const override { return kEventDescriptor | kEventUniform; }
    void use(const Moment& at, const Use& use) override {
        if (use.kind == kEventUniform)
            checkOperand(at, use);
        else
            checkDescriptor(at, use.operand);
    }
};

}  // namespace

std::unique_ptr<Observer> uniformity(const Settings&, bool) {
    return std::make_unique<Uniformity>();
}

}  // namespace coopvk::reference::checks
