// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include "chain/scratch.hpp"
#include "device/device_facts.hpp"

namespace coopvk::layer {

// A chain of zeroed query structures behind one head.
class QueryChain {
 public:
    explicit QueryChain(VkBaseOutStructure* head) : head_(head) {}

    VkBaseOutStructure* add(VkStructureType type, size_t size) {
        for (VkBaseOutStructure* node = head_; node != nullptr; node = node->pNext) {
            if (node->sType == type) return node;
        }
        auto* node = static_cast<VkBaseOutStructure*>(scratch_.allocate(size));
        node->sType = type;
        node->pNext = head_->pNext;
        head_->pNext = node;
        return node;
    }

 private:
    Scratch scratch_;
    VkBaseOutStructure* head_;
};

// Whether a device has what came with an extension, and is part of a Vulkan version.
inline bool usable(const DeviceFacts& facts, uint32_t promotedIn, const char* extension) {
    return facts.apiVersion >= promotedIn || (extension != nullptr && facts.lists(extension));
}

}  // namespace coopvk::layer
