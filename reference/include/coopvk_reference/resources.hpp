// SPDX-License-Identifier: Apache-2.0
//
// The memory that programs access: ranges of bytes, and who finds them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coopvk::reference {

struct SamplerState;
struct StageList;
struct TexelView;

// In place of a reader's position: an instruction read a matrix of an optimal layout, and the byte
// fills up one of its rows. Conversions to such layouts write zeros there.
inline constexpr uint32_t kReadsPadding = ~uint32_t{0};

// A range of memory: of a descriptor, or a buffer with a device address.
struct Range {
    std::byte* data = nullptr;
    uint64_t size = 0;     // bytes
    uint64_t address = 0;  // device address of data[0]; 0 if it has none
    // One byte for each byte of data: not 0 where something wrote it. Null: all of it counts as
    // written.
    uint8_t* written = nullptr;
    // For each byte the positions, in words, of the instructions that wrote and that read it last.
    // Null: not kept. A reader may also be kReadsPadding.
    uint32_t* writers = nullptr;
    uint32_t* readers = nullptr;
    // For each byte a Deviation (intervals.hpp). Null: not kept.
    uint32_t* deviations = nullptr;
    bool isUniform = false;  // of a uniform buffer
    bool isSampled = false;  // of a sampled image or a uniform texel buffer
    bool isResourceHeap = false, isSamplerHeap = false;  // what a heap has beside descriptors
    bool isNull = false;  // of a null descriptor: reads are zeros, writes do nothing

    bool hasAddress(uint64_t at) const { return at >= address && at - address < size; }
};
inline constexpr uint8_t kWritten = 1;  // of Range::written

// What a shader declares a resource as: the bits of VkSpirvResourceTypeFlagBitsEXT, in their order.
enum class ResourceKind : uint8_t {
    kSampler,
    kSampledImage,
    kReadOnlyImage,
    kImage,
    kCombined,
    kUniformBuffer,
    kReadOnlyBuffer,
    kBuffer,
    kOther,
};

struct DeclaredAs {
    ResourceKind kind = ResourceKind::kOther;
    bool isTexelBuffer = false;
};

struct ResourceVariable {
    uint32_t set = 0, binding = 0;
    DeclaredAs as;
};

// Finds memory. Several threads call it at once during an execution. What it returns must stay as
// it is until execute() returns.
class Resources {
 public:
    virtual ~Resources() = default;
    // Of a descriptor; null if there is none (reads then give zero, writes do nothing, with a
    // report).
    virtual const Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) = 0;
    // The buffer that contains the address; null if none does.
    virtual const Range* buffer(uint64_t address) = 0;
    // Of the descriptor at an offset in the heap of resources (SPV_EXT_descriptor_heap), which must
    // be of this kind; null if there is none.
    virtual const Range* inHeap(uint64_t /*offset*/, ResourceKind) { return nullptr; }
    virtual const TexelView* texelsInHeap(uint64_t /*offset*/, const DeclaredAs&) {
        return nullptr;
    }
    // The same in the heap of samplers.
    virtual const SamplerState* samplerInHeap(uint64_t /*offset*/) { return nullptr; }
    // The bytes of a heap; null if there is none.
    virtual const Range* heap(bool /*ofSamplers*/) { return nullptr; }
    // The image or texel buffer, and the sampler, of a descriptor; null if there is none.
    virtual const TexelView* texels(uint32_t /*set*/, uint32_t /*binding*/, uint32_t /*element*/) {
        return nullptr;
    }
    virtual const SamplerState* sampler(uint32_t /*set*/, uint32_t /*binding*/,
                                        uint32_t /*element*/) {
        return nullptr;
    }
    // A list's values, invocation by invocation; null: what it gives is zeros, and nothing keeps
    // what it takes.
    virtual const Range* list(const StageList&) { return nullptr; }
};

// Bytes of any descriptor in a heap: OpConstantSizeOfEXT.
inline constexpr uint32_t kDescriptorBytes = 32;

}  // namespace coopvk::reference
