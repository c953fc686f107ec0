// SPDX-License-Identifier: Apache-2.0
#include "images/descriptors.hpp"

#include "images/image.hpp"

namespace coopvk::reference::icd {
namespace {

bool hasSampler(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

bool hasImage(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ||
           type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE || type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
           type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
}

Descriptor nullTexels() {
    static const auto null = std::make_shared<const BoundTexels>(
        BoundTexels{{.range = {.isNull = true}, .isNull = true}, {}});
    return {.texels = null};
}

}  // namespace

bool isTexelBuffer(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

Descriptor texelDescriptor(VkBufferView view, VkDescriptorType type, bool hasNull) {
    if (hasNull && view == VK_NULL_HANDLE) return nullTexels();
    const BufferView& of = theObject(view);
    const std::shared_ptr<const Object> buffer = of.buffer.lock();
    require(buffer != nullptr, "the buffer of a view was destroyed");
    (void)reinterpret_cast<const Buffer&>(*buffer).hold();
    auto texels = std::make_shared<BoundTexels>(BoundTexels{of.texels, of.self});
    texels->range.isSampled = type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    return {.texels = std::move(texels)};
}

Descriptor texelDescriptor(const Range& range, VkFormat format, VkDescriptorType type) {
    auto texels = std::make_shared<BoundTexels>(BoundTexels{texelsOf(range, format), {}});
    texels->range.isSampled = type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    return {.texels = std::move(texels)};
}

Descriptor texelDescriptor(const VkDescriptorImageInfo& info, VkDescriptorType type, bool hasNull) {
    Descriptor made;
    if (hasImage(type)) {
        if (hasNull && info.imageView == VK_NULL_HANDLE) {
            made = nullTexels();
        } else {
            const ImageView& view = theObject(info.imageView);
            made.texels = view.shown(type != VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
        }
    }
    if (const Sampler* sampler = hasSampler(type) ? objectOf(info.sampler) : nullptr)
        made.sampler = sampler->state;
    return made;
}

std::vector<std::shared_ptr<const SamplerState>> immutableSamplers(
    const VkDescriptorSetLayoutBinding& binding) {
    std::vector<std::shared_ptr<const SamplerState>> samplers;
    if (!hasSampler(binding.descriptorType) || binding.pImmutableSamplers == nullptr)
        return samplers;
    for (const VkSampler each : listOf(binding.pImmutableSamplers, binding.descriptorCount))
        samplers.push_back(theObject(each).state);
    return samplers;
}

const void* dataOf(const VkWriteDescriptorSet& write) {
    if (isTexelBuffer(write.descriptorType)) return write.pTexelBufferView;
    if (hasImage(write.descriptorType) || hasSampler(write.descriptorType)) return write.pImageInfo;
    return write.pBufferInfo;
}

size_t strideOf(VkDescriptorType type) {
    if (isTexelBuffer(type)) return sizeof(VkBufferView);
    return hasImage(type) || hasSampler(type) ? sizeof(VkDescriptorImageInfo)
                                              : sizeof(VkDescriptorBufferInfo);
}

}  // namespace coopvk::reference::icd
