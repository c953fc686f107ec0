// SPDX-License-Identifier: Apache-2.0
//
// Layouts, pools and sets; writes and copies of descriptors, also by templates.
#include "images/descriptors.hpp"

#include <cstring>
#include <stdexcept>

#include "descriptor_buffers.hpp"

namespace coopvk::reference::icd {

struct DescriptorSetLayout : ObjectOf<VkDescriptorSetLayout> {
    DescriptorSetLayout(Device& device, const VkDescriptorSetLayoutCreateInfo& info);
    SharedBindings bindings;
};

struct DescriptorPool : ObjectOf<VkDescriptorPool> {
    DescriptorPool(Device&, const VkDescriptorPoolCreateInfo& info) : maxSets(info.maxSets) {}
    uint32_t maxSets;
    uint32_t sets = 0;
};

namespace {

constexpr uint32_t kMostInlineBytes = 65536;  // maxInlineUniformBlockSize

// Those of the last binding that a set may choose, or 0 if the layout does not let it.
uint32_t variableCount(const VkDescriptorSetLayoutCreateInfo& info) {
    const auto* flags = find<VkDescriptorSetLayoutBindingFlagsCreateInfo>(info.pNext);
    if (flags == nullptr || flags->bindingCount == 0) return 0;
    const bool isVariable = flags->pBindingFlags[flags->bindingCount - 1] &
                            VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    if (!isVariable) return 0;
    const VkDescriptorType type = info.pBindings[flags->bindingCount - 1].descriptorType;
    return type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? kMostInlineBytes : kMaxDescriptors;
}

bool fits(const VkDescriptorSetLayoutCreateInfo& info) {
    uint64_t count = 0;
    for (const auto& binding : listOf(info.pBindings, info.bindingCount)) {
        if (binding.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK &&
            binding.descriptorCount > kMostInlineBytes)
            return false;
        count += binding.descriptorCount;
    }
    return count <= kMaxSetDescriptors;
}

// Those that descriptors of the i-th binding may have, if their type is mutable.
std::vector<VkDescriptorType> mutableTypes(const VkDescriptorSetLayoutCreateInfo& info, size_t i) {
    const auto* lists = find<VkMutableDescriptorTypeCreateInfoEXT>(info.pNext);
    if (lists == nullptr || i >= lists->mutableDescriptorTypeListCount) return {};
    const auto& list = lists->pMutableDescriptorTypeLists[i];
    const auto types = listOf(list.pDescriptorTypes, list.descriptorTypeCount);
    return {types.begin(), types.end()};
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

bool isUniform(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

Descriptor bufferDescriptor(const VkDescriptorBufferInfo& info, VkDescriptorType type,
                            bool hasNull) {
    if (hasNull && info.buffer == VK_NULL_HANDLE) return {.range = {.isNull = true}};
    const Buffer& buffer = theObject(info.buffer);
    const bool isWhole = info.range == VK_WHOLE_SIZE;
    require(info.offset < buffer.size && info.range != 0,
            "a descriptor begins behind the end of its buffer, or is empty");
    buffer.requireRange(info.offset, isWhole ? 0 : info.range,
                        isUniform(type) ? VK_BUFFER_USAGE_2_UNIFORM_BUFFER_BIT
                                        : VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT);
    require(info.offset % kDescriptorAlignment == 0, "the offset of a descriptor is misaligned");
    Range range = part(buffer.range, info.offset, info.range);
    range.isUniform = isUniform(type);
    return {range, buffer.range.size - info.offset, true, buffer.self};
}

// From what an update names.
Descriptor descriptorOf(const void* from, VkDescriptorType type, bool hasNull, bool hasSampler) {
    if (isBuffer(type))
        return bufferDescriptor(*static_cast<const VkDescriptorBufferInfo*>(from), type, hasNull);
    if (isTexelBuffer(type))
        return texelDescriptor(*static_cast<const VkBufferView*>(from), type, hasNull);
    VkDescriptorImageInfo image = *static_cast<const VkDescriptorImageInfo*>(from);
    if (hasSampler) image.sampler = VK_NULL_HANDLE;  // the layout has one
    return texelDescriptor(image, type, hasNull);
}

}  // namespace

DescriptorSetLayout::DescriptorSetLayout(Device&, const VkDescriptorSetLayoutCreateInfo& info) {
    if (!fits(info)) throw std::length_error("descriptors of a set");
    Bindings all;
    for (const auto& binding : listOf(info.pBindings, info.bindingCount))
        all[binding.binding] = {binding.descriptorType, binding.descriptorCount, 0,
                                immutableSamplers(binding),
                                mutableTypes(info, size_t(&binding - info.pBindings))};
    uint32_t first = 0;
    for (auto& [unused, binding] : all) {
        binding.first = first;
        first += binding.descriptors();
    }
    bindings = std::make_shared<const Bindings>(std::move(all));
}
COOPVK_OBJECT(DescriptorSetLayout)

void GetDescriptorSetLayoutSizeEXT(Device&, DescriptorSetLayout* layout, VkDeviceSize* size) {
    *size = sizeOf(*layout->bindings);
}

void GetDescriptorSetLayoutBindingOffsetEXT(Device&, DescriptorSetLayout* layout, uint32_t binding,
                                            VkDeviceSize* offset) {
    require(layout->bindings->contains(binding), "the layout has no such binding");
    *offset = placeOf(*layout->bindings, binding);
}

void GetDescriptorSetLayoutSupport(Device&, const VkDescriptorSetLayoutCreateInfo* info,
                                   VkDescriptorSetLayoutSupport* out) {
    out->supported = fits(*info);
    if (auto* variable = find<VkDescriptorSetVariableDescriptorCountLayoutSupport>(out->pNext))
        variable->maxVariableDescriptorCount = variableCount(*info);
}

PipelineLayout::PipelineLayout(Device&, const VkPipelineLayoutCreateInfo& info) {
    for (const VkDescriptorSetLayout each : listOf(info.pSetLayouts, info.setLayoutCount)) {
        const DescriptorSetLayout* layout = objectOf(each);
        sets.push_back(layout == nullptr ? nullptr : layout->bindings);
    }
}
COOPVK_OBJECT(PipelineLayout)
COOPVK_CREATE(DescriptorPool)

void DestroyDescriptorPool(Device&, DescriptorPool* pool, Allocator) {
    if (pool == nullptr) return;
    removeOwned(pool);
    removeHandle(*pool);
}

VkResult ResetDescriptorPool(Device&, DescriptorPool* pool, VkDescriptorPoolResetFlags) {
    removeOwned(pool);
    pool->sets = 0;
    return VK_SUCCESS;
}

VkResult AllocateDescriptorSets(Device& device, const VkDescriptorSetAllocateInfo* info,
                                VkDescriptorSet* out) {
    DescriptorPool& pool = theObject(info->descriptorPool, device);
    std::fill_n(out, info->descriptorSetCount, VK_NULL_HANDLE);
    const auto layouts = listOf(info->pSetLayouts, info->descriptorSetCount);
    if (layouts.size() > pool.maxSets - pool.sets) return VK_ERROR_OUT_OF_POOL_MEMORY;
    const auto* variable = find<VkDescriptorSetVariableDescriptorCountAllocateInfo>(info->pNext);
    const bool counts = variable != nullptr && variable->descriptorSetCount != 0;
    require(!counts || variable->descriptorSetCount == layouts.size(),
            "there are not as many counts as sets");
    const VkResult result = giveAll(&pool, info->descriptorSetCount, out, [&](uint32_t i) {
        auto bindings = theObject(layouts[i], device).bindings;
        if (counts) bindings = withVariableCount(*bindings, variable->pDescriptorCounts[i]);
        return std::make_shared<DescriptorSet>(device, std::move(bindings));
    });
    pool.sets += info->descriptorSetCount;
    return result;
}

VkResult FreeDescriptorSets(Device&, DescriptorPool* pool, uint32_t count,
                            const VkDescriptorSet* sets) {
    for (const VkDescriptorSet each : listOf(sets, count)) {
        const DescriptorSet* set = objectOf(each);
        if (set == nullptr) continue;
        require(set->owner == pool, "the set is of another pool");
        removeHandle(*set);
        --pool->sets;
    }
    return VK_SUCCESS;
}

DescriptorSet::DescriptorSet(const Device& device, SharedBindings layout)
    : bindings(std::move(layout)),
      hasNull(device.hasNullDescriptors),
      descriptors(std::make_shared<Descriptors>()) {
    for (const auto& [unused, binding] : *bindings) {
        descriptors->resize(binding.first + binding.descriptors());
        for (uint32_t i = 0; i < std::min<size_t>(binding.count, binding.samplers.size()); ++i)
            (*descriptors)[binding.first + i].sampler = binding.samplers[i];
        if (!binding.isInline()) continue;
        std::vector<std::byte>& block = blocks.emplace_back(binding.count);
        (*descriptors)[binding.first] = {{block.data(), block.size(), 0, nullptr}, block.size()};
    }
}

std::optional<size_t> DescriptorSet::find(uint32_t binding, uint32_t element) const {
    const auto found = bindings->find(binding);
    const bool has = found != bindings->end() && element < found->second.descriptors();
    return has ? std::optional(size_t{found->second.first} + element) : std::nullopt;
}

Descriptor& DescriptorSet::at(uint32_t binding, uint32_t element) {
    const auto found = bindings->find(binding);
    require(found != bindings->end(), "the set has no such binding");
    const size_t index = size_t{found->second.first} + element;
    require(index < descriptors->size(), "the set has no such descriptor");
    return (*descriptors)[index];
}

void DescriptorSet::writeInline(uint32_t binding, uint32_t offset, const void* from, size_t size) {
    const auto block = find(binding, 0);
    require(block.has_value(), "the set has no such binding");
    const Range to = part((*descriptors)[*block].range, offset, size);
    require(to.size == size && to.address == 0, "it goes beyond the end of the inline block");
    if (to.size != 0) std::memcpy(to.data, from, to.size);
}

void DescriptorSet::write(const VkDescriptorUpdateTemplateEntry& entry, const void* data) {
    const auto found = bindings->find(entry.dstBinding);
    require(found != bindings->end(), "the set has no such binding");
    require(found->second.takes(entry.descriptorType),
            "the binding has descriptors of another type");
    const std::byte* from = static_cast<const std::byte*>(data) + entry.offset;
    if (entry.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return writeInline(entry.dstBinding, entry.dstArrayElement, from, entry.descriptorCount);
    require(data != nullptr || entry.descriptorCount == 0, "there is nothing to write");
    // A dispatch may hold those that were.
    if (descriptors.use_count() > 1) descriptors = std::make_shared<Descriptors>(*descriptors);
    for (uint32_t i = 0; i < entry.descriptorCount; ++i, from += entry.stride) {
        Descriptor& to = at(entry.dstBinding, entry.dstArrayElement + i);
        const bool isImmutable = !found->second.samplers.empty();
        Descriptor written = descriptorOf(from, entry.descriptorType, hasNull, isImmutable);
        if (isImmutable) written.sampler = to.sampler;
        to = std::move(written);
    }
}

void DescriptorSet::write(const VkWriteDescriptorSet& write) {
    VkDescriptorUpdateTemplateEntry entry{write.dstBinding,
                                          write.dstArrayElement,
                                          write.descriptorCount,
                                          write.descriptorType,
                                          0,
                                          strideOf(write.descriptorType)};
    const void* data = dataOf(write);
    if (write.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        const auto* block = icd::find<VkWriteDescriptorSetInlineUniformBlock>(write.pNext);
        require(block != nullptr, "there is no data for an inline block");
        entry.descriptorCount = block->dataSize;
        data = block->pData;
    }
    this->write(entry, data);
}

void DescriptorSet::copyFrom(DescriptorSet& source, const VkCopyDescriptorSet& copy) {
    const auto binding = bindings->find(copy.dstBinding);
    if (binding != bindings->end() && binding->second.isInline()) {
        const auto block = source.find(copy.srcBinding, 0);
        require(block.has_value(), "the source has no such binding");
        const Range bytes =
            part((*source.descriptors)[*block].range, copy.srcArrayElement, copy.descriptorCount);
        return writeInline(copy.dstBinding, copy.dstArrayElement, bytes.data, bytes.size);
    }
    if (descriptors.use_count() > 1) descriptors = std::make_shared<Descriptors>(*descriptors);
    for (uint32_t i = 0; i < copy.descriptorCount; ++i)
        at(copy.dstBinding, copy.dstArrayElement + i) =
            source.at(copy.srcBinding, copy.srcArrayElement + i);
}

COOPVK_OBJECT(DescriptorUpdateTemplate)

// A dispatch may begin meanwhile, and copy what the set has.
void UpdateDescriptorSets(Device& device, uint32_t writeCount, const VkWriteDescriptorSet* writes,
                          uint32_t copyCount, const VkCopyDescriptorSet* copies) {
    const std::lock_guard lock(device.mutex);
    for (const VkWriteDescriptorSet& write : listOf(writes, writeCount))
        theObject(write.dstSet, device).write(write);
    for (const VkCopyDescriptorSet& copy : listOf(copies, copyCount))
        theObject(copy.dstSet, device).copyFrom(theObject(copy.srcSet, device), copy);
}

void UpdateDescriptorSetWithTemplate(Device& device, DescriptorSet* set,
                                     DescriptorUpdateTemplate* update, const void* data) {
    const std::lock_guard lock(device.mutex);
    update->update(*set, data);
}

}  // namespace coopvk::reference::icd
