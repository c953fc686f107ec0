// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "instance.hpp"
#include "memory.hpp"

namespace coopvk::reference::icd {

struct Binding {
    uint32_t number = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    uint32_t count = 0;  // descriptors; bytes of an inline uniform block
    uint32_t first = 0;  // of its descriptors in the set
    bool isDynamic() const;
    bool isInline() const { return type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK; }
    uint32_t descriptors() const { return isInline() ? 1 : count; }
};

// By number. Sets keep it alive, as do layouts of pipelines.
struct Bindings {
    std::vector<Binding> all;
    const Binding* find(uint32_t number) const;
    uint32_t descriptors() const;
};
using SharedBindings = std::shared_ptr<const Bindings>;

struct DescriptorSetLayout : ObjectOf<VkDescriptorSetLayout> {
    DescriptorSetLayout(Device& device, const VkDescriptorSetLayoutCreateInfo& info);
    SharedBindings bindings;
};

struct PipelineLayout : ObjectOf<VkPipelineLayout> {
    PipelineLayout(Device& device, const VkPipelineLayoutCreateInfo& info);
    std::vector<SharedBindings> sets;
};

struct Descriptor {
    Range range;        // what the shader sees, before a dynamic offset
    uint64_t rest = 0;  // bytes from there to the end of the buffer
};

struct DescriptorSet : ObjectOf<VkDescriptorSet> {
    // Empty, with memory for its inline uniform blocks.
    explicit DescriptorSet(SharedBindings layout);
    SharedBindings bindings;
    std::vector<Descriptor> descriptors;
    std::vector<std::vector<std::byte>> blocks;  // inline uniform blocks

    // Null if the set has no such descriptor. at(): elements behind the last one of a binding are
    // those of the next (VkWriteDescriptorSet, "consecutive binding updates").
    const Descriptor* find(uint32_t binding, uint32_t element) const;
    Descriptor* at(uint32_t binding, uint32_t element);
    void write(const VkWriteDescriptorSet& write);
    void copyFrom(DescriptorSet& source, const VkCopyDescriptorSet& copy);
};

struct DescriptorPool : ObjectOf<VkDescriptorPool> {
    DescriptorPool(Device&, const VkDescriptorPoolCreateInfo& info) : maxSets(info.maxSets) {}
    uint32_t maxSets;
    Children<DescriptorSet> sets;
};

struct DescriptorUpdateTemplate : ObjectOf<VkDescriptorUpdateTemplate> {
    DescriptorUpdateTemplate(Device& device, const VkDescriptorUpdateTemplateCreateInfo& info);
    std::vector<VkDescriptorUpdateTemplateEntry> entries;
    void update(DescriptorSet& set, const void* data) const;
};

}  // namespace coopvk::reference::icd
