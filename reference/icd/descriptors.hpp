// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "object.hpp"

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

struct DescriptorSetLayout : Object {
    using Handle = VkDescriptorSetLayout;
    std::shared_ptr<const Bindings> bindings;
};

struct PipelineLayout : Object {
    using Handle = VkPipelineLayout;
    std::vector<std::shared_ptr<const Bindings>> sets;
};

struct Descriptor {
    Range range;        // what the shader sees, before a dynamic offset
    uint64_t rest = 0;  // bytes from there to the end of the buffer
};

struct DescriptorPool;

struct DescriptorSet : Object {
    using Handle = VkDescriptorSet;
    std::shared_ptr<const Bindings> bindings;
    std::vector<Descriptor> descriptors;
    std::vector<std::vector<std::byte>> blocks;  // inline uniform blocks

    // Empty, with memory for its inline uniform blocks.
    void reset(std::shared_ptr<const Bindings> layout);
    Descriptor* find(uint32_t binding, uint32_t element);
    const Descriptor* find(uint32_t binding, uint32_t element) const;
    void write(const VkWriteDescriptorSet& write);
    void copyFrom(const DescriptorSet& source, const VkCopyDescriptorSet& copy);
};

struct DescriptorPool : Object {
    using Handle = VkDescriptorPool;
    uint32_t maxSets = 0;
    std::set<DescriptorSet*> sets;
};

struct UpdateTemplate : Object {
    using Handle = VkDescriptorUpdateTemplate;
    std::vector<VkDescriptorUpdateTemplateEntry> entries;
    uint32_t set = 0;  // of push templates
    void update(DescriptorSet& set, const void* data) const;
};

}  // namespace coopvk::reference::icd
