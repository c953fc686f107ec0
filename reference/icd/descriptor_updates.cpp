// SPDX-License-Identifier: Apache-2.0
//
// Writes and copies of descriptors, also by templates.
#include <cstring>

#include "commands.hpp"
#include "descriptors.hpp"
#include "device.hpp"

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

// Bytes of an inline uniform block.
void writeInline(const Descriptor* block, uint32_t offset, const void* from, uint32_t size) {
    if (block == nullptr) return;
    const Range to = part(block->range, offset, size);
    if (to.size != 0) std::memcpy(to.data, from, to.size);
}

}  // namespace

DescriptorSet::DescriptorSet(SharedBindings layout)
    : bindings(std::move(layout)), descriptors(bindings->descriptors()) {
    for (const Binding& binding : bindings->all) {
        if (!binding.isInline()) continue;
        std::vector<std::byte>& block = blocks.emplace_back(binding.count);
        descriptors[binding.first] = {{block.data(), block.size(), 0, nullptr}, block.size()};
    }
}

const Descriptor* DescriptorSet::find(uint32_t binding, uint32_t element) const {
    const Binding* found = bindings->find(binding);
    if (found == nullptr || element >= found->descriptors()) return nullptr;
    return &descriptors[found->first + element];
}

Descriptor* DescriptorSet::at(uint32_t binding, uint32_t element) {
    const Binding* found = bindings->find(binding);
    if (found == nullptr || element >= descriptors.size() - found->first) return nullptr;
    return &descriptors[found->first + element];
}

void DescriptorSet::write(const VkWriteDescriptorSet& write) {
    if (write.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        if (const auto* data = icd::find<VkWriteDescriptorSetInlineUniformBlock>(write.pNext))
            writeInline(find(write.dstBinding, 0), write.dstArrayElement, data->pData,
                        data->dataSize);
        return;
    }
    if (!isBuffer(write.descriptorType)) return;
    for (uint32_t i = 0; i < write.descriptorCount; ++i) {
        Descriptor* to = at(write.dstBinding, write.dstArrayElement + i);
        if (to != nullptr) *to = descriptorOf(write.pBufferInfo[i]);
    }
}

void DescriptorSet::copyFrom(DescriptorSet& source, const VkCopyDescriptorSet& copy) {
    const Binding* binding = bindings->find(copy.dstBinding);
    if (binding != nullptr && binding->isInline()) {
        const Descriptor* block = source.find(copy.srcBinding, 0);
        if (block == nullptr) return;
        const Range bytes = part(block->range, copy.srcArrayElement, copy.descriptorCount);
        writeInline(find(copy.dstBinding, 0), copy.dstArrayElement, bytes.data,
                    static_cast<uint32_t>(bytes.size));
        return;
    }
    for (uint32_t i = 0; i < copy.descriptorCount; ++i) {
        Descriptor* to = at(copy.dstBinding, copy.dstArrayElement + i);
        const Descriptor* from = source.at(copy.srcBinding, copy.srcArrayElement + i);
        if (to != nullptr && from != nullptr) *to = *from;
    }
}

DescriptorUpdateTemplate::DescriptorUpdateTemplate(Device&,
                                                   const VkDescriptorUpdateTemplateCreateInfo& info)
    : entries(info.pDescriptorUpdateEntries,
              info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount) {}

void DescriptorUpdateTemplate::update(DescriptorSet& to, const void* data) const {
    for (const VkDescriptorUpdateTemplateEntry& entry : entries) {
        const std::byte* at = static_cast<const std::byte*>(data) + entry.offset;
        if (entry.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
            writeInline(to.find(entry.dstBinding, 0), entry.dstArrayElement, at,
                        entry.descriptorCount);
            continue;
        }
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstBinding = entry.dstBinding;
        write.dstArrayElement = entry.dstArrayElement;
        write.descriptorType = entry.descriptorType;
        write.descriptorCount = 1;
        for (uint32_t i = 0; i < entry.descriptorCount; ++i) {
            write.pBufferInfo = reinterpret_cast<const VkDescriptorBufferInfo*>(at);
            to.write(write);
            at += entry.stride;
            ++write.dstArrayElement;
        }
    }
}
COOPVK_OBJECT(DescriptorUpdateTemplate)

void UpdateDescriptorSets(VkDevice, uint32_t writeCount, const VkWriteDescriptorSet* writes,
                          uint32_t copyCount, const VkCopyDescriptorSet* copies) {
    for (const VkWriteDescriptorSet& write : std::span(writes, writeCount))
        from<DescriptorSet>(write.dstSet)->write(write);
    for (const VkCopyDescriptorSet& copy : std::span(copies, copyCount))
        from<DescriptorSet>(copy.dstSet)->copyFrom(*from<DescriptorSet>(copy.srcSet), copy);
}

void UpdateDescriptorSetWithTemplate(VkDevice, VkDescriptorSet set,
                                     VkDescriptorUpdateTemplate handle, const void* data) {
    from<DescriptorUpdateTemplate>(handle)->update(*from<DescriptorSet>(set), data);
}

}  // namespace coopvk::reference::icd
