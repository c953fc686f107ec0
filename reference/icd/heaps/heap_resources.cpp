// SPDX-License-Identifier: Apache-2.0
#include "heaps/heap_resources.hpp"

#include <cstring>
#include <format>

#include "dependencies/followed.hpp"
#include "heaps/heaps.hpp"

namespace coopvk::reference::icd {
namespace {

// The first numbers of keys.
enum Place : uint64_t { kMappedResource, kMappedSampler, kInHeap, kWholeHeap };

bool isSampler(const DeclaredAs& as) { return as.kind == ResourceKind::kSampler; }

std::string nameInHeap(uint64_t offset, bool ofSamplers) {
    return std::format("byte {} of the {} heap", offset, ofSamplers ? "sampler" : "resource");
}

const Range* rangeOrNull(const Range& range) {
    return range.data != nullptr || range.isNull ? &range : nullptr;
}

}  // namespace

template <typename Read>
const Descriptor& HeapResources::once(const Key& key, const Read& read) {
    const std::lock_guard lock(mutex_);
    const auto [found, isNew] = read_.try_emplace(key);
    if (!isNew) return found->second;
    try {
        found->second = read();
    } catch (const InvalidUse& use) {
        lose(use.message);
    }
    return found->second;
}

const HeapRange& HeapResources::heapWith(const DeclaredAs& as) const {
    const auto& heap = isSampler(as) ? execution_.heaps.samplers : execution_.heaps.resources;
    if (!heap)
        throw InvalidUse{
            std::format("no {} heap is bound", isSampler(as) ? "sampler" : "resource")};
    return *heap;
}

// Nothing outside of the heap: the check of bounds then reports the access.
Descriptor HeapResources::readInHeap(uint64_t offset, const DeclaredAs& as) {
    const HeapRange& heap = heapWith(as);
    if (!heap.mayAccess(offset, kDescriptorSize)) return {};
    try {
        require(offset % kDescriptorSize == 0, "the offset of the descriptor is misaligned");
        const Range bytes = rangeAt(addresses_, heap.address + offset, kDescriptorSize);
        std::vector<std::byte> stale;
        const Use use = isSampler(as) ? Use::kSamplerHeapRead : Use::kResourceHeapRead;
        return icd::readInHeap(device_, as, followedBytes(execution_, use, bytes, stale),
                               addresses_);
    } catch (const InvalidUse& use) {
        throw InvalidUse{std::format("{}: {}", nameInHeap(offset, isSampler(as)), use.message)};
    }
}

template <typename T>
T HeapResources::pushed(uint32_t offset) const {
    const auto written = std::span(execution_.pushWritten).subspan(offset, sizeof(T));
    require(std::ranges::count(written, 0) == 0, "push data that it needs was not set");
    T value = 0;
    std::memcpy(&value, execution_.pushConstants.data() + offset, sizeof(T));
    return value;
}

template <typename T>
T HeapResources::readUniform(VkDeviceAddress address) {
    require(address % sizeof(T) == 0, "an address in push data is misaligned");
    const Range range = rangeAt(addresses_, address, sizeof(T));
    std::vector<std::byte> stale;
    T value = 0;
    std::memcpy(&value, followedBytes(execution_, Use::kUniformRead, range, stale), sizeof(T));
    return value;
}

// In push data, or in memory.
uint32_t HeapResources::indexOf(const Mapping& mapping, const MappingPlace& place,
                                uint64_t shaderIndex) {
    switch (mapping.source) {
        case MappingSource::kPushIndex:
            return pushed<uint32_t>(place.pushOffset);
        case MappingSource::kIndirectIndex:
            return readUniform<uint32_t>(pushed<uint64_t>(place.pushOffset) + place.addressOffset);
        case MappingSource::kIndirectIndexArray:
            return readUniform<uint32_t>(pushed<uint64_t>(place.pushOffset) + place.addressOffset +
                                         4 * shaderIndex);
        default:
            return 0;
    }
}

// A combined index has that of the image in its lower 20 bits, and that of the sampler above.
uint64_t HeapResources::offsetOf(const MappedVariable& of, uint32_t element, bool ofSampler) {
    const Mapping& mapping = of.mapping;
    const bool isCombined = of.variable.as.kind == ResourceKind::kCombined;
    const MappingPlace& place = isCombined && ofSampler ? mapping.sampler : mapping.resource;
    const uint64_t shaderIndex =
        uint64_t{of.variable.binding - mapping.firstBinding} + uint64_t{element};
    const bool usesBoth = isCombined && mapping.usesCombinedIndex != 0;
    uint64_t index = indexOf(mapping, usesBoth ? mapping.resource : place, shaderIndex);
    if (usesBoth) index = ofSampler ? index >> 20 : index & 0xFFFFF;
    return place.heapOffset + index * place.indexStride + shaderIndex * place.arrayStride;
}

// A uniform buffer in a heap or in push data, or a buffer from an address on.
Descriptor HeapResources::readData(const MappedVariable& of) {
    const MappingPlace& place = of.mapping.resource;
    const bool isUniform = of.variable.as.kind == ResourceKind::kUniformBuffer;
    Descriptor made;
    if (of.mapping.source == MappingSource::kPushData) {
        const uint32_t offset = place.pushOffset;
        made.range = {.data = execution_.pushConstants.data() + offset,
                      .size = kMaxPushConstantBytes - offset,
                      .written = execution_.pushWritten.data() + offset};
    } else if (of.mapping.source == MappingSource::kHeapData) {
        const HeapRange& heap = heapWith({ResourceKind::kUniformBuffer});
        const uint64_t offset = place.heapOffset + uint64_t{pushed<uint32_t>(place.pushOffset)};
        if (!heap.mayAccess(offset, 1)) return {};
        const uint64_t end =
            offset < heap.reserved && heap.reservedSize != 0 ? heap.reserved : heap.size;
        made.range = rangeAt(addresses_, heap.address + offset, end - offset);
    } else {
        VkDeviceAddress address = pushed<uint64_t>(place.pushOffset);
        if (of.mapping.source == MappingSource::kIndirectAddress)
            address = readUniform<uint64_t>(address + place.addressOffset);
        const Range* buffer = addresses_.buffer(address);
        require(buffer != nullptr, "it is mapped to an address where there is no buffer");
        made.range = part(*buffer, address - buffer->address, VK_WHOLE_SIZE);
    }
    made.range.isUniform = isUniform;
    return made;
}

Descriptor HeapResources::readMapped(const MappedVariable& of, uint32_t element, bool ofSampler) {
    const ResourceVariable& variable = of.variable;
    try {
        if (ofSampler && of.embedded != nullptr) return {.sampler = of.embedded};
        if (of.mapping.source >= MappingSource::kHeapData) return readData(of);
        const DeclaredAs as = ofSampler ? DeclaredAs{ResourceKind::kSampler} : variable.as;
        return readInHeap(offsetOf(of, element, ofSampler), as);
    } catch (const InvalidUse& use) {
        throw InvalidUse{
            std::format("set {}, binding {}: {}", variable.set, variable.binding, use.message)};
    }
}

const Descriptor& HeapResources::mapped(uint32_t variable, uint32_t element, bool ofSampler) {
    const Place place = ofSampler ? kMappedSampler : kMappedResource;
    return once({place, variable, element},
                [&] { return readMapped((*execution_.mappings)[variable], element, ofSampler); });
}

const Descriptor& HeapResources::atOffset(uint64_t offset, const DeclaredAs& as) {
    const Key key = {kInHeap, offset, uint64_t(as.kind), as.isTexelBuffer};
    return once(key, [&] { return readInHeap(offset, as); });
}

const TexelView* HeapResources::visible(const Descriptor& descriptor) {
    const BoundTexels* bound = descriptor.texels.get();
    if (bound == nullptr || bound->isNull || addresses_.live(bound->range)) return bound;
    const std::lock_guard lock(mutex_);
    lose("a descriptor in a heap has an image whose memory was freed");
    return nullptr;
}

const Range* HeapResources::descriptor(uint32_t variable, uint32_t, uint32_t element) {
    return rangeOrNull(mapped(variable, element, false).range);
}
const TexelView* HeapResources::texels(uint32_t variable, uint32_t, uint32_t element) {
    return visible(mapped(variable, element, false));
}
const SamplerState* HeapResources::sampler(uint32_t variable, uint32_t, uint32_t element) {
    return mapped(variable, element, true).sampler.get();
}

const Range* HeapResources::inHeap(uint64_t offset, ResourceKind kind) {
    return rangeOrNull(atOffset(offset, {kind}).range);
}
const TexelView* HeapResources::texelsInHeap(uint64_t offset, const DeclaredAs& as) {
    return visible(atOffset(offset, as));
}
const SamplerState* HeapResources::samplerInHeap(uint64_t offset) {
    return atOffset(offset, {ResourceKind::kSampler}).sampler.get();
}

const Range* HeapResources::heap(bool ofSamplers) {
    const DeclaredAs as{ofSamplers ? ResourceKind::kSampler : ResourceKind::kOther};
    const Descriptor& whole = once({kWholeHeap, ofSamplers}, [&] {
        const HeapRange& bound = heapWith(as);
        Descriptor made;
        if (bound.size == 0) return made;
        made.range = rangeAt(addresses_, bound.address, bound.size);
        (ofSamplers ? made.range.isSamplerHeap : made.range.isResourceHeap) = true;
        return made;
    });
    return rangeOrNull(whole.range);
}

}  // namespace coopvk::reference::icd
