// SPDX-License-Identifier: Apache-2.0
//
// How well accesses to memory suit a GPU: conflicts of banks in shared memory, and segments of
// buffers. Of each load, store and atomic operation that accesses memory lane by lane.
#pragma once

#include <map>
#include <mutex>

#include "coopvk_reference/observer.hpp"

namespace coopvk::reference {

// What many GPUs have.
struct MemoryModel {
    uint32_t banks = 32;  // of shared memory
    uint32_t bankBytes = 4;
    uint32_t segmentBytes = 32;  // of buffers: what one transaction moves
};

struct MemoryCount {
    MemoryKind kind = kBuffer;
    std::string instruction;  // its name and its line
    uint64_t executions = 0;  // by subgroups
    // Of shared memory: the most words of one bank that an execution wants, since a bank gives one
    // at a time. Of a buffer: the segments that it touches.
    uint64_t transactions = 0;
    uint64_t fewest = 0;  // transactions for as many bytes that lie well
};

class MemoryCounts final : public Observer {
 public:
    explicit MemoryCounts(const MemoryModel& model = {}) : model_(model) {}
    // By the position of the instruction in the module, and the operand with the address. After the
    // execution.
    const std::map<std::pair<uint32_t, uint32_t>, MemoryCount>& counts() const { return counts_; }

    uint32_t events() const override { return kEventAddress; }
    void use(const Moment& at, const Use& use) override;

 private:
    const MemoryModel model_;
    std::mutex mutex_;
    std::map<std::pair<uint32_t, uint32_t>, MemoryCount> counts_;
};

}  // namespace coopvk::reference
