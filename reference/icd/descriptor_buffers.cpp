// SPDX-License-Identifier: Apache-2.0
#include "descriptor_buffers.hpp"

#include <cstring>

#include "images/descriptors.hpp"
#include "images/image.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr uint32_t kMark = 0x43534544;  // "DESC"

void write(DescriptorBytes& to, const VkDescriptorAddressInfoEXT* info) {
    if (info == nullptr || info->address == 0) return;
    to.first = info->address;
    to.second = info->range;
    to.format = info->format;
}

void write(DescriptorBytes& to, const VkDescriptorImageInfo* info) {
    if (info == nullptr) return;
    to.first = reinterpret_cast<uint64_t>(info->imageView);
    to.second = reinterpret_cast<uint64_t>(info->sampler);
}

void write(DescriptorBytes& to, const VkDescriptorGetInfoEXT& info) {
    const VkDescriptorDataEXT& data = info.data;
    switch (info.type) {
        case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
        case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
            return write(to, data.pUniformBuffer);  // all four are of one type
        case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
        case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
            return write(to, data.pSampledImage);  // these, too
        case VK_DESCRIPTOR_TYPE_SAMPLER:
            require(data.pSampler != nullptr, "there is no sampler");
            to.second = reinterpret_cast<uint64_t>(*data.pSampler);
            return;
        default:
            require(false, "there are no descriptors of this type in memory");
    }
}

VkDeviceSize sizeOf(const Binding& binding) {
    constexpr VkDeviceSize kUnit = kDescriptorSize;
    return binding.isInline() ? (binding.count + kUnit - 1) / kUnit * kUnit : binding.count * kUnit;
}

}  // namespace

Range rangeAt(const Addresses& addresses, uint64_t address, uint64_t size) {
    const Range* buffer = addresses.buffer(address);
    require(buffer != nullptr, "a descriptor has an address where there is no buffer");
    const Range range = part(*buffer, address - buffer->address, size);
    require(range.size == size, "a descriptor goes beyond the end of its buffer");
    return range;
}

Descriptor bufferIn(const DescriptorBytes& written, const Addresses& addresses) {
    const bool isUniform = written.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    if (isUniform || written.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
        if (written.first == 0) return {.range = {.isNull = true}};
        Descriptor made;
        made.range = rangeAt(addresses, written.first, written.second);
        made.range.isUniform = isUniform;
        return made;
    }
    if (written.first == 0) return texelDescriptor(VkBufferView{}, written.type, true);
    return texelDescriptor(rangeAt(addresses, written.first, written.second), written.format,
                           written.type);
}

VkDeviceSize placeOf(const Bindings& bindings, uint32_t binding) {
    VkDeviceSize place = 0;
    for (const auto& [number, each] : bindings)
        if (number < binding) place += sizeOf(each);
    return place;
}

VkDeviceSize sizeOf(const Bindings& bindings) {
    VkDeviceSize size = 0;
    for (const auto& [unused, each] : bindings) size += sizeOf(each);
    return size;
}

Descriptor readDescriptor(const Binding& binding, const std::byte* bytes, bool hasNull,
                          const Addresses& addresses) {
    DescriptorBytes written;
    std::memcpy(&written, bytes, sizeof(written));
    require(written.mark == kMark, "a descriptor buffer has no descriptor there");
    require(binding.takes(written.type), "a descriptor buffer has a descriptor of another type");
    require(hasNull || written.first != 0 || written.type == VK_DESCRIPTOR_TYPE_SAMPLER,
            "a descriptor is null, without the feature nullDescriptor");
    switch (written.type) {
        case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
        case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
            return bufferIn(written, addresses);
        default: {
            const VkDescriptorImageInfo info{reinterpret_cast<VkSampler>(written.second),
                                             reinterpret_cast<VkImageView>(written.first)};
            return texelDescriptor(info, written.type, true);
        }
    }
}

void GetDescriptorEXT(Device&, const VkDescriptorGetInfoEXT* info, size_t size, void* out) {
    require(size == kDescriptorSize, "the size is not that of the descriptor");
    DescriptorBytes written{kMark, info->type};
    write(written, *info);
    std::memcpy(out, &written, sizeof(written));
}

void CmdBindDescriptorBuffersEXT(CommandBuffer& commands, uint32_t count,
                                 const VkDescriptorBufferBindingInfoEXT* infos) {
    std::vector<VkDeviceAddress> buffers;
    require(count <= kMaxSets, "there are too many descriptor buffers");
    for (const VkDescriptorBufferBindingInfoEXT& info : listOf(infos, count)) {
        require(info.address % kDescriptorBufferAlignment == 0,
                "the address is no multiple of descriptorBufferOffsetAlignment");
        buffers.push_back(info.address);
    }
    record(commands, [buffers](Execution& execution) {
        execution.useSets();
        execution.descriptorBuffers = buffers;
    });
}

void CmdSetDescriptorBufferOffsetsEXT(CommandBuffer& commands, VkPipelineBindPoint point,
                                      PipelineLayout* layout, uint32_t first, uint32_t count,
                                      const uint32_t* buffers, const VkDeviceSize* offsets) {
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
    require(first + uint64_t{count} <= std::min<size_t>(layout->sets.size(), kMaxSets),
            "the layout has no such set");
    const auto places = listOf(offsets, count);
    for (const uint32_t& buffer : listOf(buffers, count)) {
        const auto i = uint32_t(&buffer - buffers);
        require(places[i] % kDescriptorBufferAlignment == 0,
                "the offset is no multiple of descriptorBufferOffsetAlignment");
        record(commands, [=, place = places[i],
                          bindings = layout->sets[first + i]](Execution& execution) {
            execution.useSets();
            require(buffer < execution.descriptorBuffers.size(), "there is no such buffer bound");
            execution.sets[first + i] = BoundSet{
                .bindings = bindings, .address = execution.descriptorBuffers[buffer] + place};
        });
    }
}

void CmdSetDescriptorBufferOffsets2EXT(CommandBuffer& commands,
                                       const VkSetDescriptorBufferOffsetsInfoEXT* info) {
    if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
        CmdSetDescriptorBufferOffsetsEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                         &theObject(info->layout), info->firstSet, info->setCount,
                                         info->pBufferIndices, info->pOffsets);
}

// All that such a set has is in its layout.
void CmdBindDescriptorBufferEmbeddedSamplersEXT(CommandBuffer& commands, VkPipelineBindPoint point,
                                                PipelineLayout* layout, uint32_t number) {
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
    require(
        number < std::min<size_t>(layout->sets.size(), kMaxSets) && layout->sets[number] != nullptr,
        "the layout has no such set");
    record(commands, [number, bindings = layout->sets[number]](Execution& execution) {
        execution.useSets();
        execution.sets[number] = BoundSet{.bindings = bindings};
    });
}

void CmdBindDescriptorBufferEmbeddedSamplers2EXT(
    CommandBuffer& commands, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT* info) {
    if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
        CmdBindDescriptorBufferEmbeddedSamplersEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                   &theObject(info->layout), info->set);
}

}  // namespace coopvk::reference::icd
