// SPDX-License-Identifier: Apache-2.0
//
// Addresses that are no multiples of what the memory operand Aligned says, or what Vulkan says of
// the lines of a matrix.
#include <algorithm>
#include <format>

#include "checks/checks.hpp"

namespace coopvk::reference::checks {
namespace {

// Descriptors and variables start at multiples of 16 bytes.
constexpr uint32_t kStart = 16;

class Alignment final : public Observer {
 public:
    uint32_t events() const override { return kEventAligned; }
    void use(const Moment& at, const Use& use) override {
        at.active().forEach([&](uint32_t lane) {
            const PointerView pointer = at.pointer(use.operand, lane);
            if (pointer.kind == kOwn) return;
            const uint32_t alignment =
                pointer.isPhysical ? use.alignment : std::min(use.alignment, kStart);
            if (pointer.offset % alignment == 0) return;
            at.report(kCheckBounds, lane,
                      std::format("accesses {} {} of {}, which is not a multiple of {}",
                                  pointer.isPhysical ? "address" : "byte", pointer.offset,
                                  nameOf(pointer.kind), alignment));
        });
    }
};

}  // namespace

std::unique_ptr<Observer> alignment(const Settings&, bool) { return std::make_unique<Alignment>(); }

}  // namespace coopvk::reference::checks
