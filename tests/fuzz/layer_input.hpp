// SPDX-License-Identifier: Apache-2.0
//
// A fuzzer's bytes as choices, numbers, text and chains of Vulkan's structures.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace coopvk::fuzz {

class Reader {
 public:
    explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
    bool atEnd() const { return at_ >= bytes_.size(); }
    // 0 behind the last one.
    uint8_t byte() { return at_ < bytes_.size() ? bytes_[at_++] : uint8_t{0}; }
    uint32_t below(uint32_t bound) { return bound == 0 ? 0 : byte() % bound; }
    bool flag() { return (byte() & 1) != 0; }
    // Small ones, ones of the edges, any.
    uint32_t number();
    uint64_t wide();
    std::string text(size_t most);
    template <typename T, size_t kCount>
    const T& from(const T (&table)[kCount]) {
        return table[below(kCount)];
    }

 private:
    std::span<const uint8_t> bytes_;
    size_t at_ = 0;
};

// Memory of exactly the required size, so that sanitizers find reads and writes beyond it; also
// checks whether it was written to.
class Blocks {
 public:
    std::byte* addBytes(size_t size, const void* from = nullptr);
    template <typename T>
    T* add(const T& value) {
        return reinterpret_cast<T*>(addBytes(sizeof(T), &value));
    }
    template <typename T>
    T* addArray(const std::vector<T>& values) {
        return values.empty()
                   ? nullptr
                   : reinterpret_cast<T*>(addBytes(values.size() * sizeof(T), values.data()));
    }
    // From here on they are constant.
    void seal();
    bool intact() const;

 private:
    struct Block {
        std::unique_ptr<std::byte[]> memory;
        size_t size;
        std::vector<std::byte> sealed;
    };
    std::vector<Block> blocks_;
};

// Structures that are allowed in a chain that the layer reads.
struct KnownStructure {
    VkStructureType type;
    size_t size;
    bool isFeatures;
};
std::span<const KnownStructure> knownStructures();

// A chain of up to this number of structures before `tail`. Features are set or not; other
// structures are zero; some have unknown types.
void* readChain(Reader& reader, Blocks& blocks, uint32_t most, void* tail = nullptr);

}  // namespace coopvk::fuzz
