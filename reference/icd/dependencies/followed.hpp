// SPDX-License-Identifier: Apache-2.0
//
// What commands tell the check of dependencies of their accesses, and its reports. Nothing happens
// where it is off.
#pragma once

#include "command_buffer.hpp"
#include "coopvk_reference/observer.hpp"

namespace coopvk::reference::icd {

// The command that executes begins to access memory.
void beginAccesses(Execution& execution, Use writes);
void followRead(Execution& execution, Use use, const Range& range);
// Before the write.
void followWrite(Execution& execution, Use use, const Range& range);
// What a command reads: the range, or bytes in `stale`, which were there before.
const std::byte* followedBytes(Execution& execution, Use use, const Range& range,
                               std::vector<std::byte>& stale);
// Copies bytes of ranges of one size, which it follows: what is written is as much defined as what
// it is copied from.
void copyRange(Execution& execution, const Range& from, const Range& to, Use reads = Use::kCopyRead,
               Use writes = Use::kCopyWrite);

// The host submits or signals something, under the device's mutex: what it wrote since the last
// time. Null: the host sees the device's memory.
std::shared_ptr<FromHost> takeHostWrites(Device& device);
// By the first queue that comes to it, under the mutex: with all that the host wrote before.
void executeHostWrites(Device& device, const FromHost& upTo);
// Into memory that is freed, under the mutex.
void dropHostWrites(Device& device, const Range& memory);
// A queue has executed commands: what the host lacks.
void noteHostLacks(Device& device, size_t queue);
// What the host read and must not.
void reportHostReads(Device& device);

// Accesses of a dispatch to memory that has device addresses.
class FollowedAccesses final : public Observer {
 public:
    explicit FollowedAccesses(Execution& execution) : device_(execution.device) {}
    uint32_t events() const override { return kEventLoad | kEventStore | kEventAtomic; }
    void load(const Moment& at, const MemoryAccess& access, std::byte* seen) override;
    void store(const Moment& at, const MemoryAccess& access) override;
    void atomic(const Moment& at, const MemoryAccess& access,
                const AtomicOperation& operation) override;

 private:
    void read(const Moment& at, const MemoryAccess& access, std::byte* seen);
    void write(const Moment& at, const MemoryAccess& access, const std::byte* before);

    Device& device_;
};

}  // namespace coopvk::reference::icd
