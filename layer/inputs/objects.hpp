// SPDX-License-Identifier: Apache-2.0
//
// What the layer knows of an application's buffers and descriptors, to find a dispatch's inputs.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace coopvk::layer::inputs {

struct TrackedBuffer {
    VkBuffer handle = VK_NULL_HANDLE;
    uint64_t size = 0;
    bool canBeCopied = false;
    uint64_t memory = 0;  // handle of its memory; 0: none, or sparse
    uint64_t memoryOffset = 0;
    VkDeviceAddress address = 0;
    bool hasAddress = false;  // it was created to have one
};

struct SetBinding {
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_MAX_ENUM;
    uint32_t count = 0;  // bytes of an inline uniform block
};

// By binding.
using SetLayout = std::map<uint32_t, SetBinding>;

struct Descriptor {
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_MAX_ENUM;
    VkDescriptorBufferInfo buffer = {};
    std::vector<std::byte> bytes = {};  // of an inline uniform block, which is element 0
};

// Binding and element.
using DescriptorKey = std::pair<uint32_t, uint32_t>;

struct DescriptorSet {
    std::shared_ptr<const SetLayout> layout;  // null: pushed
    VkDescriptorPool pool = VK_NULL_HANDLE;
    std::map<DescriptorKey, Descriptor> descriptors;
    uint64_t updates = 0;

    // `write(binding, element, index)` for `count` descriptors from here on, which go on in the
    // next bindings.
    template <typename F>
    void each(uint32_t binding, uint32_t element, uint32_t count, const F& write) const {
        for (uint32_t i = 0; i < count; ++i, ++element) {
            while (layout != nullptr) {
                const auto found = layout->find(binding);
                if (found == layout->end() || element < found->second.count) break;
                element -= found->second.count;
                const auto next = std::next(found);
                if (next == layout->end()) return;
                binding = next->first;
            }
            write(binding, element, i);
        }
    }
    void setBytes(uint32_t binding, uint32_t offset, const void* data, uint32_t size);
    void apply(const VkWriteDescriptorSet& write);
    void copy(const DescriptorSet& from, const VkCopyDescriptorSet& how);
};

using UpdateTemplate = std::vector<VkDescriptorUpdateTemplateEntry>;
void applyTemplate(DescriptorSet& set, const UpdateTemplate& entries, const void* data);

bool isBuffer(VkDescriptorType type);
bool isDynamic(VkDescriptorType type);
// "a sampled image".
std::string describe(VkDescriptorType type);

struct Objects {
    std::unordered_map<VkBuffer, TrackedBuffer> buffers;
    std::unordered_map<VkDescriptorSetLayout, std::shared_ptr<const SetLayout>> layouts;
    std::unordered_map<VkDescriptorSet, std::shared_ptr<DescriptorSet>> sets;
    std::unordered_map<VkDescriptorUpdateTemplate, std::shared_ptr<const UpdateTemplate>> templates;

    const TrackedBuffer* buffer(VkBuffer handle) const;
    // The buffer at a device address, or null.
    const TrackedBuffer* bufferAt(VkDeviceAddress address) const;
    void dropPool(VkDescriptorPool pool) noexcept;
};

}  // namespace coopvk::layer::inputs
