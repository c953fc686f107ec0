// SPDX-License-Identifier: Apache-2.0
//
// Reads of memory that nothing wrote.
#include <format>

#include "checks/checks.hpp"

namespace coopvk::reference::checks {
namespace {

class Unwritten final : public Observer {
 public:
    uint32_t events() const override { return kEventUnwrittenLoad | kEventAtomic; }
    void load(const Moment& at, const MemoryAccess& access, std::byte*) override {
        at.report(kCheckUnwritten, access.lane,
                  std::format("reads {} bytes that nothing wrote, at byte {} of {}", access.size,
                              access.offset, nameOf(access.kind)));
    }
    void atomic(const Moment& at, const MemoryAccess& access, const AtomicOperation&) override {
        if (!access.isDefined)
            at.report(kCheckUnwritten, access.lane,
                      "an atomic operation on memory that nothing wrote");
    }
};

}  // namespace

std::unique_ptr<Observer> unwritten(const Settings&, bool) { return std::make_unique<Unwritten>(); }

}  // namespace coopvk::reference::checks
