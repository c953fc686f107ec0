// SPDX-License-Identifier: Apache-2.0
//
// Who wrote bytes of memory last.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "coopvk_reference/observer.hpp"

namespace coopvk::reference {

class WriteTrace final : public Observer {
 public:
    explicit WriteTrace(std::span<const std::byte> bytes) : bytes_(bytes) {}
    // Of each write to one of the bytes, in their order: the instruction, and where it executed.
    const std::vector<Report>& writes() const { return writes_; }

    uint32_t events() const override { return kEventStore | kEventAtomic; }
    void store(const Moment& at, const MemoryAccess& access) override { note(at, access); }
    void atomic(const Moment& at, const MemoryAccess& access,
                const AtomicOperation& operation) override {
        if (operation.writes) note(at, access);
    }

 private:
    void note(const Moment& at, const MemoryAccess& access) {
        const std::less<> before;  // of pointers into different buffers
        if (!before(access.data, bytes_.data() + bytes_.size())) return;
        if (!before(bytes_.data(), access.data + access.size)) return;
        Report place = at.place(access.lane);
        const std::lock_guard lock(mutex_);
        writes_.push_back(std::move(place));
    }

    const std::span<const std::byte> bytes_;
    std::mutex mutex_;
    std::vector<Report> writes_;
};

}  // namespace coopvk::reference
