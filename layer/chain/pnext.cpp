// SPDX-License-Identifier: Apache-2.0
#include "chain/pnext.hpp"

#include <vulkan/vk_layer.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "coopvk/vulkan_coopvk.h"
#include "system/system.hpp"

namespace coopvk::layer {
namespace {

// Larger than any structure of the current headers; see copyUnknown.
constexpr size_t kUnknownSize = 2048;

// The layer does not know the size of a structure whose type this build does not know. It must keep
// the structure, but must not write to its pNext. So it copies the structure with many bytes after
// it: code that knows the type reads only its members, and never the bytes after them. The system
// copies the bytes, since they may end in unmapped memory.
VkBaseOutStructure* copyUnknown(const VkBaseInStructure* node, Scratch& scratch) {
    void* copy = scratch.allocate(kUnknownSize);
    if (system::copyReadable(node, copy, kUnknownSize) < sizeof(VkBaseInStructure)) return nullptr;
    return static_cast<VkBaseOutStructure*>(copy);
}

VkBaseOutStructure* copyNode(const VkBaseInStructure* node, Scratch& scratch) {
    const size_t size = structSize(node->sType);
    if (size == 0) return copyUnknown(node, scratch);
    void* copy = scratch.allocate(size);
    std::memcpy(copy, node, size);
    return static_cast<VkBaseOutStructure*>(copy);
}

}  // namespace

size_t structSize(VkStructureType type) {
    switch (static_cast<int64_t>(type)) {
#define COOPVK_STRUCT(name, value) \
    case value:                    \
        return sizeof(name);
#include "chain/known_structs.inc"
#undef COOPVK_STRUCT
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK:
            return sizeof(VkPhysicalDeviceShaderInt4FeaturesCOOPVK);
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK:
            return sizeof(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK);
        case VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO:
            return sizeof(VkLayerDeviceCreateInfo);
        default:
            return 0;
    }
}

const VkBaseInStructure* findNode(const void* chain, VkStructureType type) {
    auto* node = static_cast<const VkBaseInStructure*>(chain);
    while (node != nullptr && node->sType != type) node = node->pNext;
    return node;
}

ChainEditor::ChainEditor(const void* chain, Scratch& scratch) : scratch_(scratch) {
    for (auto* node = static_cast<const VkBaseInStructure*>(chain); node; node = node->pNext) {
        nodes_.push_back(node);
    }
}

// Makes node `index`, which is the layer's copy, point at its successor.
void ChainEditor::link(size_t index) {
    auto* node = const_cast<VkBaseInStructure*>(nodes_[index]);
    node->pNext = index + 1 < nodes_.size() ? nodes_[index + 1] : nullptr;
}

bool ChainEditor::copyThrough(size_t count) {
    while (copied_ < count) {
        VkBaseOutStructure* copy = copyNode(nodes_[copied_], scratch_);
        if (copy == nullptr) return ok_ = false;
        nodes_[copied_] = reinterpret_cast<VkBaseInStructure*>(copy);
        ++copied_;
        if (copied_ > 1) link(copied_ - 2);
    }
    return true;
}

VkBaseOutStructure* ChainEditor::edit(VkStructureType type) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i]->sType != type) continue;
        if (!copyThrough(i + 1)) return nullptr;
        return reinterpret_cast<VkBaseOutStructure*>(const_cast<VkBaseInStructure*>(nodes_[i]));
    }
    return nullptr;
}

bool ChainEditor::remove(VkStructureType type) {
    bool found = false;
    for (size_t i = 0; i < nodes_.size();) {
        if (nodes_[i]->sType != type) {
            ++i;
            continue;
        }
        found = true;
        if (!copyThrough(i)) return found;
        nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(i));
        if (copied_ > i) --copied_;
        if (i > 0) link(i - 1);
    }
    return found;
}

VkBaseOutStructure* ChainEditor::prepend(VkStructureType type, size_t size) {
    auto* node = static_cast<VkBaseOutStructure*>(scratch_.allocate(size));
    node->sType = type;
    nodes_.insert(nodes_.begin(), reinterpret_cast<VkBaseInStructure*>(node));
    ++copied_;
    link(0);
    return node;
}

}  // namespace coopvk::layer
