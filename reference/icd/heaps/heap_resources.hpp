// SPDX-License-Identifier: Apache-2.0
//
// The resources of a program with heaps of descriptors: those at offsets, and those of variables
// that are mapped.
#pragma once

#include "heaps/mappings.hpp"
#include "held_resources.hpp"

namespace coopvk::reference::icd {

class HeapResources final : public HeldResources {
 public:
    using HeldResources::HeldResources;

    // `variable`: its number.
    const Range* descriptor(uint32_t variable, uint32_t, uint32_t element) override;
    const TexelView* texels(uint32_t variable, uint32_t, uint32_t element) override;
    const SamplerState* sampler(uint32_t variable, uint32_t, uint32_t element) override;
    const Range* inHeap(uint64_t offset, ResourceKind kind) override;
    const TexelView* texelsInHeap(uint64_t offset, const DeclaredAs& as) override;
    const SamplerState* samplerInHeap(uint64_t offset) override;
    const Range* heap(bool ofSamplers) override;

 private:
    // Of a mapped variable and an element, or an offset in a heap and what is there.
    using Key = std::array<uint64_t, 4>;

    const Descriptor& mapped(uint32_t variable, uint32_t element, bool ofSampler);
    const Descriptor& atOffset(uint64_t offset, const DeclaredAs& as);
    // What read() gives, once in a dispatch. An InvalidUse that it throws loses the device.
    template <typename Read>
    const Descriptor& once(const Key& key, const Read& read);

    const TexelView* visible(const Descriptor& descriptor);
    Descriptor readMapped(const MappedVariable& of, uint32_t element, bool ofSampler);
    Descriptor readData(const MappedVariable& of);
    Descriptor readInHeap(uint64_t offset, const DeclaredAs& as);
    const HeapRange& heapWith(const DeclaredAs& as) const;
    uint32_t indexOf(const Mapping& mapping, const MappingPlace& place, uint64_t shaderIndex);
    uint64_t offsetOf(const MappedVariable& of, uint32_t element, bool ofSampler);
    template <typename T>
    T pushed(uint32_t offset) const;
    template <typename T>
    T readUniform(VkDeviceAddress address);

    std::map<Key, Descriptor> read_;
};

}  // namespace coopvk::reference::icd
