// SPDX-License-Identifier: Apache-2.0
//
// Undefined values that reach memory, a branch or an address.
#include "checks/checks.hpp"

namespace coopvk::reference::checks {
namespace {

constexpr uint32_t kUses = kEventAddress | kEventIndex | kEventCondition | kEventUniform;

const char* faultOf(Event use) {
    return use == kEventAddress     ? "an address is undefined"
           : use == kEventIndex     ? "an index is undefined"
           : use == kEventCondition ? "a branch depends on an undefined value"
                                    : "an operand that must be the same in all invocations is "
                                      "undefined";
}

class Undefined final : public Observer {
 public:
    uint32_t events() const override { return kUses | kEventUndefinedStore | kEventAtomic; }
    void use(const Moment& at, const Use& use) override {
        const LaneMask lanes = at.undefined(use.operand);
        if (lanes.any()) at.report(kCheckUndefined, lanes.first(), faultOf(use.kind));
    }
    void store(const Moment& at, const MemoryAccess& access) override {
        at.report(kCheckUndefined, access.lane, "stores an undefined value");
    }
    void atomic(const Moment& at, const MemoryAccess& access,
                const AtomicOperation& operation) override {
        if (!operation.isDefined)
            at.report(kCheckUndefined, access.lane, "an atomic operation has an undefined operand");
    }
};

}  // namespace

std::unique_ptr<Observer> undefined(const Settings&, bool) { return std::make_unique<Undefined>(); }

}  // namespace coopvk::reference::checks
