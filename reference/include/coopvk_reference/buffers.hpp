// SPDX-License-Identifier: Apache-2.0
//
// Memory and reports of an execution without a driver: a list of buffers of the caller's, and a
// list of what the device reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "coopvk_reference/execute.hpp"

namespace coopvk::reference {

// A buffer, its descriptor and its device address. The memory is the caller's.
struct Buffer {
    uint32_t set = 0, binding = 0, element = 0;
    Range range;
};

// Buffer n of a list is at the address (n + 1) * 2^32, unless its range has one.
class BufferList final : public Resources {
 public:
    void add(uint32_t set, uint32_t binding, uint32_t element, Range range) {
        if (range.address == 0) range.address = addressOf(buffers_.size());
        buffers_.push_back({set, binding, element, range});
    }
    static uint64_t addressOf(size_t index) { return (uint64_t{index} + 1) << 32; }

    const Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) override {
        for (const Buffer& b : buffers_)
            if (b.set == set && b.binding == binding && b.element == element) return &b.range;
        return nullptr;
    }
    // Bindings of set 0 are the heap's descriptors, too.
    const Range* inHeap(uint64_t offset, ResourceKind) override {
        const uint64_t number = offset / kDescriptorBytes;
        return offset % kDescriptorBytes == 0 && number < kMostInHeap
                   ? descriptor(0, static_cast<uint32_t>(number), 0)
                   : nullptr;
    }
    const Range* buffer(uint64_t address) override {
        for (const Buffer& b : buffers_)
            if (b.range.hasAddress(address)) return &b.range;
        return nullptr;
    }

 private:
    static constexpr uint64_t kMostInHeap = uint64_t{1} << 20;
    std::vector<Buffer> buffers_;
};

class ReportList final : public Reporter {
 public:
    bool report(const Report& report) override {
        reports.push_back(report);
        return true;
    }
    void print(const std::string& text) override { prints.push_back(text); }

    std::vector<Report> reports;
    std::vector<std::string> prints;
};

}  // namespace coopvk::reference
