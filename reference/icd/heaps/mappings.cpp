// SPDX-License-Identifier: Apache-2.0
#include "heaps/mappings.hpp"

#include <format>

#include "heaps/heaps.hpp"

namespace coopvk::reference::icd {
namespace {

bool holdsBuffer(ResourceKind kind) {
    return kind == ResourceKind::kUniformBuffer || kind == ResourceKind::kReadOnlyBuffer ||
           kind == ResourceKind::kBuffer;
}

// Empty: the source may have such a variable.
std::string problemOf(const ResourceVariable& variable, MappingSource source) {
    switch (source) {
        case MappingSource::kHeapData:
        case MappingSource::kPushData:
            return variable.as.kind == ResourceKind::kUniformBuffer
                       ? ""
                       : "is mapped to data, and no uniform buffer";
        case MappingSource::kPushAddress:
        case MappingSource::kIndirectAddress:
            return holdsBuffer(variable.as.kind) ? "" : "is mapped to an address, and no buffer";
        case MappingSource::kShaderRecordIndex:
        case MappingSource::kShaderRecordData:
        case MappingSource::kShaderRecordAddress:
            return "is mapped to a shader record, which compute shaders have not";
        default:
            return variable.as.kind != ResourceKind::kOther
                       ? ""
                       : "is a resource that the device has not in heaps";
    }
}

}  // namespace

SharedMappings mapVariables(Device& device, const Program& program,
                            std::span<const Mapping> mappings) {
    auto mapped = std::make_shared<std::vector<MappedVariable>>();
    for (const ResourceVariable& variable : resourceVariables(program)) {
        const auto found = std::ranges::find_if(
            mappings, [&](const Mapping& mapping) { return mapping.has(variable); });
        const std::string problem =
            found == mappings.end() ? "has no mapping" : problemOf(variable, found->source);
        if (!problem.empty())
            throw InvalidUse{
                std::format("set {}, binding {} {}", variable.set, variable.binding, problem)};
        mapped->push_back(
            {variable, *found, found->hasEmbedded ? samplerIn(device, found->embedded) : nullptr});
    }
    return mapped;
}

#ifdef VK_EXT_descriptor_heap
namespace {

void requirePlace(uint32_t offset, uint32_t bytes) {
    require(offset % bytes == 0 && offset <= kMaxPushConstantBytes - bytes,
            "the offset of a mapping is none of a value in push data");
}

void embed(Mapping& mapping, const VkSamplerCreateInfo* sampler) {
    if (sampler == nullptr) return;
    require(sampler->borderColor != VK_BORDER_COLOR_FLOAT_CUSTOM_EXT &&
                sampler->borderColor != VK_BORDER_COLOR_INT_CUSTOM_EXT,
            "an embedded sampler has a border color of its own");
    mapping.hasEmbedded = 1;
    mapping.embedded = samplerBytes(*sampler);
}

void readFrom(Mapping& mapping, const VkDescriptorMappingSourceConstantOffsetEXT& from) {
    mapping.resource = {from.heapOffset, 0, 0, 0, from.heapArrayStride};
    mapping.sampler = {from.samplerHeapOffset, 0, 0, 0, from.samplerHeapArrayStride};
    embed(mapping, from.pEmbeddedSampler);
}

void readFrom(Mapping& mapping, const VkDescriptorMappingSourcePushIndexEXT& from) {
    requirePlace(from.pushOffset, 4);
    mapping.resource = {from.heapOffset, from.pushOffset, 0, from.heapIndexStride,
                        from.heapArrayStride};
    mapping.sampler = {from.samplerHeapOffset, from.samplerPushOffset, 0,
                       from.samplerHeapIndexStride, from.samplerHeapArrayStride};
    mapping.usesCombinedIndex = from.useCombinedImageSamplerIndex;
    embed(mapping, from.pEmbeddedSampler);
}

// Of VkDescriptorMappingSourceIndirectIndexEXT, and that of arrays, which has no strides of these.
template <typename Source>
void readFrom(Mapping& mapping, const Source& from) {
    requirePlace(from.pushOffset, 8);
    require(from.addressOffset % 4 == 0, "the offset of an index is no multiple of 4");
    mapping.resource = {from.heapOffset, from.pushOffset, from.addressOffset, from.heapIndexStride};
    mapping.sampler = {from.samplerHeapOffset, from.samplerPushOffset, from.samplerAddressOffset,
                       from.samplerHeapIndexStride};
    if constexpr (requires { from.heapArrayStride; }) {
        mapping.resource.arrayStride = from.heapArrayStride;
        mapping.sampler.arrayStride = from.samplerHeapArrayStride;
    }
    mapping.usesCombinedIndex = from.useCombinedImageSamplerIndex;
    embed(mapping, from.pEmbeddedSampler);
}

void readSource(Mapping& mapping, const VkDescriptorMappingSourceDataEXT& data) {
    MappingPlace& place = mapping.resource;
    switch (mapping.source) {
        case MappingSource::kConstantOffset:
            return readFrom(mapping, data.constantOffset);
        case MappingSource::kPushIndex:
            return readFrom(mapping, data.pushIndex);
        case MappingSource::kIndirectIndex:
            return readFrom(mapping, data.indirectIndex);
        case MappingSource::kIndirectIndexArray:
            return readFrom(mapping, data.indirectIndexArray);
        case MappingSource::kHeapData:
            requirePlace(data.heapData.pushOffset, 4);
            place = {data.heapData.heapOffset, data.heapData.pushOffset};
            return;
        case MappingSource::kPushData:
            requirePlace(data.pushDataOffset, 4);
            place.pushOffset = data.pushDataOffset;
            return;
        case MappingSource::kPushAddress:
            requirePlace(data.pushAddressOffset, 8);
            place.pushOffset = data.pushAddressOffset;
            return;
        case MappingSource::kIndirectAddress:
            requirePlace(data.indirectAddress.pushOffset, 8);
            require(data.indirectAddress.addressOffset % 8 == 0,
                    "the offset of an address is no multiple of 8");
            place.pushOffset = data.indirectAddress.pushOffset;
            place.addressOffset = data.indirectAddress.addressOffset;
            return;
        default:
            require(mapping.source <= MappingSource::kShaderRecordAddress,
                    "there is no such source of a mapping");
    }
}

}  // namespace

std::vector<Mapping> mappingsIn(const void* chain) {
    std::vector<Mapping> mappings;
    const auto* info = find<VkShaderDescriptorSetAndBindingMappingInfoEXT>(chain);
    if (info == nullptr) return mappings;
    for (const VkDescriptorSetAndBindingMappingEXT& each :
         listOf(info->pMappings, info->mappingCount)) {
        Mapping& mapping = mappings.emplace_back();
        mapping.set = each.descriptorSet;
        mapping.firstBinding = each.firstBinding;
        mapping.bindingCount = each.bindingCount;
        mapping.kinds = each.resourceMask;
        mapping.source = MappingSource(each.source);
        readSource(mapping, each.sourceData);
    }
    return mappings;
}
#else
std::vector<Mapping> mappingsIn(const void*) { return {}; }
#endif

}  // namespace coopvk::reference::icd
