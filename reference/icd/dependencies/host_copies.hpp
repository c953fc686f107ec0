// SPDX-License-Identifier: Apache-2.0
//
// Memory of the host apart from the device's (the setting HOST=apart). A pointer that vkMapMemory
// returns is into a copy. What the host changed there goes to the device when it submits; what
// commands wrote comes back when a memory dependency made it visible to the host, and the host
// waited for that. Pages with other bytes are protected, so that a read of one is noticed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "dependencies/order.hpp"

namespace coopvk::reference::icd {

// Bytes that commands wrote and the host does not have: memory of the device.
struct Written {
    uintptr_t begin = 0;
    uint64_t size = 0;
    bool isVisible = false;  // to reads of the host
    Use use = Use::kStorageWrite;
    std::string writer;  // the command
};

// Bytes that the host changed.
struct HostWrite {
    std::byte* data = nullptr;  // of the device
    std::vector<std::byte> bytes;
};
using HostWrites = std::vector<HostWrite>;

// A read by the host of bytes that it does not have.
struct HostRead {
    uintptr_t at = 0;  // memory of the device
    Written written;
};

class HostCopies {
 public:
    HostCopies();
    ~HostCopies();
    HostCopies(const HostCopies&) = delete;
    HostCopies& operator=(const HostCopies&) = delete;

    // The host's copy of new memory, which the host sees; null: no memory.
    std::byte* add(const Range& memory);
    void remove(const Range& memory);
    // A part of new memory, which the host may change from now on; until when.
    void map(const Range& part);
    void unmap(const Range& memory);
    // What the host changed since the last call.
    HostWrites changes();
    // A queue has executed commands until `now`.
    void noteWritten(std::span<const Written> written, size_t queue, Time now);
    // The host waited for what each stage of each queue did until then.
    void deliver(const QueueTimes& until);
    // Since the last call.
    std::vector<HostRead> takeReads();

    // Opens the page of an address of the host. False: it is not protected here.
    bool open(uintptr_t address, bool writes);

 private:
    struct Unmap {
        size_t size;
        void operator()(std::byte* memory) const;
    };
    using Mapped = std::unique_ptr<std::byte, Unmap>;
    struct Copy {
        std::byte* device = nullptr;
        uint64_t size = 0;
        Mapped host;
        Mapped last;  // what the host had when it submitted last
        uint64_t mappedBegin = 0, mappedEnd = 0;
        bool isMapped = false;
        std::vector<bool> isProtected;             // of each page
        std::map<uintptr_t, Written> unseen = {};  // by where it begins; they do not overlap

        uintptr_t begin() const { return reinterpret_cast<uintptr_t>(device); }
    };
    // Bytes on their way to the host.
    struct Update {
        uintptr_t begin = 0;
        std::vector<std::byte> bytes;
        size_t queue = 0;
        Time now = 0;
    };

    Copy* copyOf(uintptr_t device);
    static void addChanges(Copy& copy, uint64_t first, uint64_t end, HostWrites& changed);
    static void erase(Copy& copy, uintptr_t begin, uintptr_t end);
    static void protect(Copy& copy, size_t page, bool isProtected);
    static void protectUnseen(Copy& copy, uintptr_t begin, uintptr_t end);

    std::mutex mutex_;
    std::map<uintptr_t, Copy> copies_;  // by the device's memory
    std::vector<Update> updates_;
    std::vector<HostRead> reads_;
};

}  // namespace coopvk::reference::icd
