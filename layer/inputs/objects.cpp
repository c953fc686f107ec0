// SPDX-License-Identifier: Apache-2.0
#include "inputs/objects.hpp"

#include <algorithm>
#include <cstring>

#include "chain/pnext.hpp"

namespace coopvk::layer::inputs {
namespace {

struct TypeRow {
    VkDescriptorType type;
    const char* name;
    bool isBuffer = false;
    bool isDynamic = false;
};
constexpr TypeRow kTypes[] = {
    {VK_DESCRIPTOR_TYPE_SAMPLER, "a sampler"},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, "a sampled image"},
    {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, "a sampled image"},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, "a storage image"},
    {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, "a texel buffer"},
    {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, "a texel buffer"},
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, "a uniform buffer", true},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, "a storage buffer", true},
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, "a uniform buffer", true, true},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, "a storage buffer", true, true},
    {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, "an input attachment"},
    {VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, "an inline uniform block"},
    {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, "an acceleration structure"},
};

const TypeRow* rowOf(VkDescriptorType type) {
    const auto* row = std::ranges::find(kTypes, type, &TypeRow::type);
    return row == std::end(kTypes) ? nullptr : row;
}

}  // namespace

bool isBuffer(VkDescriptorType type) {
    const TypeRow* row = rowOf(type);
    return row != nullptr && row->isBuffer;
}

bool isDynamic(VkDescriptorType type) {
    const TypeRow* row = rowOf(type);
    return row != nullptr && row->isDynamic;
}

std::string describe(VkDescriptorType type) {
    const TypeRow* row = rowOf(type);
    return row != nullptr ? row->name : "a descriptor of type " + std::to_string(type);
}

void DescriptorSet::setBytes(uint32_t binding, uint32_t offset, const void* data, uint32_t size) {
    Descriptor& block = descriptors[{binding, 0}];
    block.type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
    block.bytes.resize(std::max<size_t>(block.bytes.size(), size_t{offset} + size));
    std::memcpy(block.bytes.data() + offset, data, size);
}

void DescriptorSet::apply(const VkWriteDescriptorSet& write) {
    ++updates;
    if (write.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        const auto* block = findNode<VkWriteDescriptorSetInlineUniformBlock>(
            write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
        if (block != nullptr)
            setBytes(write.dstBinding, write.dstArrayElement, block->pData, block->dataSize);
        return;
    }
    each(write.dstBinding, write.dstArrayElement, write.descriptorCount,
         [&](uint32_t binding, uint32_t element, uint32_t i) {
             Descriptor descriptor{.type = write.descriptorType};
             if (isBuffer(write.descriptorType)) descriptor.buffer = write.pBufferInfo[i];
             descriptors[{binding, element}] = std::move(descriptor);
         });
}

void DescriptorSet::copy(const DescriptorSet& from, const VkCopyDescriptorSet& how) {
    ++updates;
    const auto block = from.descriptors.find({how.srcBinding, 0});
    if (block != from.descriptors.end() && !block->second.bytes.empty()) {
        const auto& bytes = block->second.bytes;
        if (how.srcArrayElement <= bytes.size() &&
            how.descriptorCount <= bytes.size() - how.srcArrayElement)
            setBytes(how.dstBinding, how.dstArrayElement, bytes.data() + how.srcArrayElement,
                     how.descriptorCount);
        return;
    }
    std::vector<Descriptor> copies(how.descriptorCount);
    from.each(how.srcBinding, how.srcArrayElement, how.descriptorCount,
              [&](uint32_t binding, uint32_t element, uint32_t i) {
                  const auto found = from.descriptors.find({binding, element});
                  if (found != from.descriptors.end()) copies[i] = found->second;
              });
    each(how.dstBinding, how.dstArrayElement, how.descriptorCount,
         [&](uint32_t binding, uint32_t element, uint32_t i) {
             descriptors[{binding, element}] = copies[i];
         });
}

void applyTemplate(DescriptorSet& set, const UpdateTemplate& entries, const void* data) {
    ++set.updates;
    const auto* bytes = static_cast<const std::byte*>(data);
    for (const VkDescriptorUpdateTemplateEntry& entry : entries) {
        if (entry.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
            set.setBytes(entry.dstBinding, entry.dstArrayElement, bytes + entry.offset,
                         entry.descriptorCount);
            continue;
        }
        set.each(entry.dstBinding, entry.dstArrayElement, entry.descriptorCount,
                 [&](uint32_t binding, uint32_t element, uint32_t i) {
                     Descriptor descriptor{.type = entry.descriptorType};
                     if (isBuffer(entry.descriptorType))
                         std::memcpy(&descriptor.buffer, bytes + entry.offset + i * entry.stride,
                                     sizeof(descriptor.buffer));
                     set.descriptors[{binding, element}] = std::move(descriptor);
                 });
    }
}

const TrackedBuffer* Objects::buffer(VkBuffer handle) const {
    const auto found = buffers.find(handle);
    return found == buffers.end() ? nullptr : &found->second;
}

const TrackedBuffer* Objects::bufferAt(VkDeviceAddress address) const {
    for (const auto& [handle, buffer] : buffers) {
        if (buffer.address != 0 && address >= buffer.address &&
            address - buffer.address < buffer.size)
            return &buffer;
    }
    return nullptr;
}

void Objects::dropPool(VkDescriptorPool pool) noexcept {
    std::erase_if(sets, [&](const auto& entry) { return entry.second->pool == pool; });
}

}  // namespace coopvk::layer::inputs
