// SPDX-License-Identifier: Apache-2.0
//
// Layouts, pools and sets; writes and copies of descriptors, also by templates.
#include <cstring>
#include <stdexcept>

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

struct DescriptorSetLayout : ObjectOf<VkDescriptorSetLayout> {
    DescriptorSetLayout(Device& device, const VkDescriptorSetLayoutCreateInfo& info);
    SharedBindings bindings;
};

struct DescriptorPool : ObjectOf<VkDescriptorPool> {
    DescriptorPool(Device&, const VkDescriptorPoolCreateInfo& info) : maxSets(info.maxSets) {}
    uint32_t maxSets;
    Children<DescriptorSet> sets;
};

namespace {

// Those of the last binding that a set may choose, or 0 if the layout does not let it.
uint32_t variableCount(const VkDescriptorSetLayoutCreateInfo& info) {
    const auto* flags = find<VkDescriptorSetLayoutBindingFlagsCreateInfo>(info.pNext);
    if (flags == nullptr || flags->bindingCount == 0) return 0;
    const bool isVariable = flags->pBindingFlags[flags->bindingCount - 1] &
                            VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    return isVariable ? kMaxDescriptors : 0;
}

bool fits(const VkDescriptorSetLayoutCreateInfo& info) {
    uint64_t count = 0;
    for (const auto& binding : std::span(info.pBindings, info.bindingCount))
        count += binding.descriptorCount;
    return count <= kMaxDescriptors;
}

// The bindings of a set whose last binding has `count` descriptors.
SharedBindings withVariableCount(const Bindings& bindings, uint32_t count) {
    auto changed = std::make_shared<Bindings>(bindings);
    if (!changed->empty()) {
        Binding& last = changed->rbegin()->second;
        last.count = std::min(count, last.count);
    }
    return changed;
}

bool isBuffer(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

Descriptor descriptorOf(const VkDescriptorBufferInfo& info) {
    const Buffer* buffer = objectOf(info.buffer);
    if (buffer == nullptr) return {};
    return {part(buffer->range, info.offset, info.range),
            buffer->range.size - std::min(info.offset, buffer->range.size)};
}

}  // namespace

DescriptorSetLayout::DescriptorSetLayout(Device&, const VkDescriptorSetLayoutCreateInfo& info) {
    if (!fits(info)) throw std::length_error("descriptors of a set");
    Bindings all;
    for (const auto& binding : std::span(info.pBindings, info.bindingCount))
        all[binding.binding] = {binding.descriptorType, binding.descriptorCount};
    uint32_t first = 0;
    for (auto& [unused, binding] : all) {
        binding.first = first;
        first += binding.descriptors();
    }
    bindings = std::make_shared<const Bindings>(std::move(all));
}
COOPVK_OBJECT(DescriptorSetLayout)

void GetDescriptorSetLayoutSupport(Device&, const VkDescriptorSetLayoutCreateInfo* info,
                                   VkDescriptorSetLayoutSupport* out) {
    out->supported = fits(*info);
    if (auto* variable = find<VkDescriptorSetVariableDescriptorCountLayoutSupport>(out->pNext))
        variable->maxVariableDescriptorCount = variableCount(*info);
}

PipelineLayout::PipelineLayout(Device&, const VkPipelineLayoutCreateInfo& info) {
    for (const VkDescriptorSetLayout each : std::span(info.pSetLayouts, info.setLayoutCount)) {
        const DescriptorSetLayout* layout = objectOf(each);
        sets.push_back(layout == nullptr ? nullptr : layout->bindings);
    }
}
COOPVK_OBJECT(PipelineLayout)
COOPVK_OBJECT(DescriptorPool)

VkResult ResetDescriptorPool(Device&, DescriptorPool* pool, VkDescriptorPoolResetFlags) {
    pool->sets.all.clear();
    return VK_SUCCESS;
}

VkResult AllocateDescriptorSets(Device&, const VkDescriptorSetAllocateInfo* info,
                                VkDescriptorSet* out) {
    DescriptorPool& pool = *objectOf(info->descriptorPool);
    std::fill_n(out, info->descriptorSetCount, VK_NULL_HANDLE);
    if (pool.sets.all.size() + info->descriptorSetCount > pool.maxSets)
        return VK_ERROR_OUT_OF_POOL_MEMORY;
    const auto* variable = find<VkDescriptorSetVariableDescriptorCountAllocateInfo>(info->pNext);
    const bool counts = variable != nullptr && variable->descriptorSetCount != 0;
    return pool.sets.add(info->descriptorSetCount, out, [&](uint32_t i) {
        auto bindings = objectOf(info->pSetLayouts[i])->bindings;
        if (counts) bindings = withVariableCount(*bindings, variable->pDescriptorCounts[i]);
        return std::make_unique<DescriptorSet>(std::move(bindings));
    });
}

VkResult FreeDescriptorSets(Device&, DescriptorPool* pool, uint32_t count,
                            const VkDescriptorSet* sets) {
    pool->sets.remove(count, sets);
    return VK_SUCCESS;
}

DescriptorSet::DescriptorSet(SharedBindings layout) : bindings(std::move(layout)) {
    for (const auto& [unused, binding] : *bindings) {
        descriptors.resize(binding.first + binding.descriptors());
        if (!binding.isInline()) continue;
        std::vector<std::byte>& block = blocks.emplace_back(binding.count);
        descriptors[binding.first] = {{block.data(), block.size(), 0, nullptr}, block.size()};
    }
}

const Descriptor* DescriptorSet::find(uint32_t binding, uint32_t element) const {
    const auto found = bindings->find(binding);
    const bool has = found != bindings->end() && element < found->second.descriptors();
    return has ? &descriptors[found->second.first + element] : nullptr;
}

Descriptor* DescriptorSet::at(uint32_t binding, uint32_t element) {
    const auto found = bindings->find(binding);
    const bool has = found != bindings->end() && element < descriptors.size() - found->second.first;
    return has ? &descriptors[found->second.first + element] : nullptr;
}

void DescriptorSet::writeInline(uint32_t binding, uint32_t offset, const void* from, size_t size) {
    const Descriptor* block = find(binding, 0);
    if (block == nullptr) return;
    const Range to = part(block->range, offset, size);
    if (to.size != 0) std::memcpy(to.data, from, to.size);
}

void DescriptorSet::write(const VkDescriptorUpdateTemplateEntry& entry, const void* data) {
    const std::byte* from = static_cast<const std::byte*>(data) + entry.offset;
    if (entry.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return writeInline(entry.dstBinding, entry.dstArrayElement, from, entry.descriptorCount);
    if (!isBuffer(entry.descriptorType)) return;
    for (uint32_t i = 0; i < entry.descriptorCount; ++i, from += entry.stride) {
        Descriptor* to = at(entry.dstBinding, entry.dstArrayElement + i);
        const auto* info = reinterpret_cast<const VkDescriptorBufferInfo*>(from);
        if (to != nullptr) *to = descriptorOf(*info);
    }
}

void DescriptorSet::write(const VkWriteDescriptorSet& write) {
    VkDescriptorUpdateTemplateEntry entry{write.dstBinding,
                                          write.dstArrayElement,
                                          write.descriptorCount,
                                          write.descriptorType,
                                          0,
                                          sizeof(VkDescriptorBufferInfo)};
    const void* data = write.pBufferInfo;
    if (write.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        const auto* block = icd::find<VkWriteDescriptorSetInlineUniformBlock>(write.pNext);
        if (block == nullptr) return;
        entry.descriptorCount = block->dataSize;
        data = block->pData;
    }
    this->write(entry, data);
}

void DescriptorSet::copyFrom(DescriptorSet& source, const VkCopyDescriptorSet& copy) {
    const auto binding = bindings->find(copy.dstBinding);
    if (binding != bindings->end() && binding->second.isInline()) {
        const Descriptor* block = source.find(copy.srcBinding, 0);
        if (block == nullptr) return;
        const Range bytes = part(block->range, copy.srcArrayElement, copy.descriptorCount);
        return writeInline(copy.dstBinding, copy.dstArrayElement, bytes.data, bytes.size);
    }
    for (uint32_t i = 0; i < copy.descriptorCount; ++i) {
        Descriptor* to = at(copy.dstBinding, copy.dstArrayElement + i);
        const Descriptor* from = source.at(copy.srcBinding, copy.srcArrayElement + i);
        if (to != nullptr && from != nullptr) *to = *from;
    }
}

COOPVK_OBJECT(DescriptorUpdateTemplate)

void UpdateDescriptorSets(Device&, uint32_t writeCount, const VkWriteDescriptorSet* writes,
                          uint32_t copyCount, const VkCopyDescriptorSet* copies) {
    for (const VkWriteDescriptorSet& write : std::span(writes, writeCount))
        objectOf(write.dstSet)->write(write);
    for (const VkCopyDescriptorSet& copy : std::span(copies, copyCount))
        objectOf(copy.dstSet)->copyFrom(*objectOf(copy.srcSet), copy);
}

void UpdateDescriptorSetWithTemplate(Device&, DescriptorSet* set, DescriptorUpdateTemplate* update,
                                     const void* data) {
    update->update(*set, data);
}

}  // namespace coopvk::reference::icd
