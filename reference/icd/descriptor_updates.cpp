// SPDX-License-Identifier: Apache-2.0
//
// Writes and copies of descriptors, also by templates.
#include <algorithm>
#include <cstring>

#include "commands.hpp"
#include "descriptors.hpp"
#include "memory.hpp"

namespace coopvk::reference::icd {
namespace {

bool isBuffer(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

Descriptor descriptorOf(const VkDescriptorBufferInfo& info) {
    const Buffer* buffer = from<Buffer>(info.buffer);
    if (buffer == nullptr) return {};
    return {part(buffer->range, info.offset, info.range),
            buffer->range.size - std::min(info.offset, buffer->range.size)};
}

}  // namespace

void DescriptorSet::reset(std::shared_ptr<const Bindings> layout) {
    bindings = std::move(layout);
    descriptors.assign(bindings->descriptors(), {});
    for (const Binding& binding : bindings->all) {
        if (!binding.isInline()) continue;
        std::vector<std::byte>& block = blocks.emplace_back(binding.count);
        descriptors[binding.first] = {{block.data(), block.size(), 0, nullptr}, block.size()};
    }
}

// Elements behind the last one of a binding are those of the next (VkWriteDescriptorSet,
// "consecutive binding updates").
Descriptor* DescriptorSet::find(uint32_t binding, uint32_t element) {
    const Binding* found = bindings == nullptr ? nullptr : bindings->find(binding);
    if (found == nullptr || found->first + element >= descriptors.size()) return nullptr;
    return &descriptors[found->first + element];
}

const Descriptor* DescriptorSet::find(uint32_t binding, uint32_t element) const {
    const Binding* found = bindings == nullptr ? nullptr : bindings->find(binding);
    if (found == nullptr || element >= found->descriptors()) return nullptr;
    return &descriptors[found->first + element];
}

void DescriptorSet::write(const VkWriteDescriptorSet& write) {
    if (write.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        const auto* data = icd::find<VkWriteDescriptorSetInlineUniformBlock>(
            write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
        const Descriptor* block = find(write.dstBinding, 0);
        if (data == nullptr || block == nullptr) return;
        const Range to = part(block->range, write.dstArrayElement, data->dataSize);
        if (to.size != 0) std::memcpy(to.data, data->pData, to.size);
        return;
    }
    if (!isBuffer(write.descriptorType)) return;
    for (uint32_t i = 0; i < write.descriptorCount; ++i) {
        Descriptor* to = find(write.dstBinding, write.dstArrayElement + i);
        if (to != nullptr) *to = descriptorOf(write.pBufferInfo[i]);
    }
}

void DescriptorSet::copyFrom(const DescriptorSet& source, const VkCopyDescriptorSet& copy) {
    const Binding* binding = bindings->find(copy.dstBinding);
    if (binding != nullptr && binding->isInline()) {
        const Range from = part(source.find(copy.srcBinding, 0)->range, copy.srcArrayElement,
                                copy.descriptorCount);
        const Range to = part(find(copy.dstBinding, 0)->range, copy.dstArrayElement, from.size);
        if (to.size != 0) std::memcpy(to.data, from.data, to.size);
        return;
    }
    for (uint32_t i = 0; i < copy.descriptorCount; ++i) {
        Descriptor* to = find(copy.dstBinding, copy.dstArrayElement + i);
        const Descriptor* from =
            const_cast<DescriptorSet&>(source).find(copy.srcBinding, copy.srcArrayElement + i);
        if (to != nullptr && from != nullptr) *to = *from;
    }
}

void UpdateTemplate::update(DescriptorSet& to, const void* data) const {
    for (const VkDescriptorUpdateTemplateEntry& entry : entries) {
        const std::byte* at = static_cast<const std::byte*>(data) + entry.offset;
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstBinding = entry.dstBinding;
        write.dstArrayElement = entry.dstArrayElement;
        write.descriptorType = entry.descriptorType;
        write.descriptorCount = 1;
        if (entry.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
            const VkWriteDescriptorSetInlineUniformBlock block{
                VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, nullptr,
                entry.descriptorCount, at};
            write.pNext = &block;
            to.write(write);
            continue;
        }
        for (uint32_t i = 0; i < entry.descriptorCount; ++i) {
            write.pBufferInfo = reinterpret_cast<const VkDescriptorBufferInfo*>(at);
            to.write(write);
            at += entry.stride;
            ++write.dstArrayElement;
        }
    }
}

void UpdateDescriptorSets(VkDevice, uint32_t writeCount, const VkWriteDescriptorSet* writes,
                          uint32_t copyCount, const VkCopyDescriptorSet* copies) {
    for (uint32_t i = 0; i < writeCount; ++i)
        from<DescriptorSet>(writes[i].dstSet)->write(writes[i]);
    for (uint32_t i = 0; i < copyCount; ++i)
        from<DescriptorSet>(copies[i].dstSet)
            ->copyFrom(*from<DescriptorSet>(copies[i].srcSet), copies[i]);
}

VkResult CreateDescriptorUpdateTemplate(VkDevice, const VkDescriptorUpdateTemplateCreateInfo* info,
                                        const VkAllocationCallbacks*,
                                        VkDescriptorUpdateTemplate* out) {
    std::vector<VkDescriptorUpdateTemplateEntry> entries(
        info->pDescriptorUpdateEntries,
        info->pDescriptorUpdateEntries + info->descriptorUpdateEntryCount);
    return make<UpdateTemplate>(out, std::move(entries), info->set);
}

void DestroyDescriptorUpdateTemplate(VkDevice device, VkDescriptorUpdateTemplate handle,
                                     const VkAllocationCallbacks* allocator) {
    destroy<UpdateTemplate>(device, handle, allocator);
}

void UpdateDescriptorSetWithTemplate(VkDevice, VkDescriptorSet set,
                                     VkDescriptorUpdateTemplate handle, const void* data) {
    from<UpdateTemplate>(handle)->update(*from<DescriptorSet>(set), data);
}

}  // namespace coopvk::reference::icd
