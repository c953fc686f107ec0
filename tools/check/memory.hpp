// SPDX-License-Identifier: Apache-2.0
//
// Memory for a module: a buffer for each descriptor and for each type to which addresses point.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "interface.hpp"
#include "numbers.hpp"

namespace coopvk::check {

// Descriptor set and binding.
using Slot = std::pair<uint32_t, uint32_t>;

struct MemoryChoice {
    uint64_t seed = 1;
    Values values = Values::kSmall;
    uint64_t bufferSize = 65536;  // bytes of a buffer whose type has no end
    // What the caller knows: contents of push constants (from their first byte) and of descriptors.
    std::vector<std::byte> pushConstants;
    std::map<Slot, std::vector<std::byte>> buffers;
};

struct Buffer {
    std::string name;  // "set 0, binding 1", "address 0x100000000"
    BufferUse use;
    uint32_t element = 0;  // of an array of descriptors
    uint64_t address = 0;
    std::vector<std::byte> bytes;
};

struct Memory {
    std::vector<Buffer> buffers;
    std::vector<std::byte> pushConstants;
};

// Nothing but memory can fail: throws std::bad_alloc.
Memory makeMemory(const Module& module, const MemoryChoice& choice);

// Calls `visit` for each number of the buffer: in arrays of integers in the format in which
// matrices or vectors are accessed there, else as the type says.
using VisitNumber = std::function<void(uint64_t offset, const Format& format)>;
void visitNumbers(const Module& module, const Buffer& buffer, const VisitNumber& visit);

// A copy of memory that a program changes.
class MemoryCopy final : public reference::Resources {
 public:
    explicit MemoryCopy(const Memory& from);
    MemoryCopy(const MemoryCopy&) = delete;
    MemoryCopy& operator=(const MemoryCopy&) = delete;

    const reference::Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) override;
    const reference::Range* buffer(uint64_t address) override;
    const std::vector<std::vector<std::byte>>& contents() const { return contents_; }
    std::vector<std::vector<std::byte>> take() { return std::move(contents_); }

 private:
    std::vector<std::vector<std::byte>> contents_;
    std::vector<reference::Range> ranges_;
    std::map<std::array<uint32_t, 3>, const reference::Range*> descriptors_;
};

}  // namespace coopvk::check
