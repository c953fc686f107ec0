// SPDX-License-Identifier: Apache-2.0
//
// Reading and editing pNext chains without writing to the application's memory.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/scratch.hpp"

namespace coopvk::layer {

// Size of a structure that may be in a chain that the layer edits; 0 for structures newer than this
// build.
size_t structSize(VkStructureType type);

// A structure of vulkan_coopvk.h.
constexpr bool isCoopvkStructure(VkStructureType type) {
    return (static_cast<uint32_t>(type) & 0xFFFF0000u) == 0x70C00000u;
}

// The first node of a type, or null.
const VkBaseInStructure* findNode(const void* chain, VkStructureType type);

template <typename T>
const T* findNode(const void* chain, VkStructureType type) {
    return reinterpret_cast<const T*>(findNode(chain, type));
}

// Edits a private version of a chain. Only the nodes before an edit are copied; the nodes after it
// stay the application's. Nodes of unknown type are kept: see copyNode in pnext.cpp.
class ChainEditor {
 public:
    ChainEditor(const void* chain, Scratch& scratch);

    // The chain to pass on. Valid as long as the scratch memory and the application's chain.
    const void* head() const { return nodes_.empty() ? nullptr : nodes_.front(); }

    // A copy of the first node of a type that may be written to, or null if there is none.
    VkBaseOutStructure* edit(VkStructureType type);
    template <typename T>
    T* edit(VkStructureType type) {
        return reinterpret_cast<T*>(edit(type));
    }

    // Removes every node of a type. False if there was none.
    bool remove(VkStructureType type);

    // Puts a node of the given size, zero but for its type, in front.
    VkBaseOutStructure* prepend(VkStructureType type, size_t size);
    template <typename T>
    T* prepend(VkStructureType type) {
        return reinterpret_cast<T*>(prepend(type, sizeof(T)));
    }

    // False once an edit was not possible because a node in front of it could not be copied.
    bool ok() const { return ok_; }

 private:
    bool copyThrough(size_t count);
    void link(size_t index);

    Scratch& scratch_;
    std::vector<const VkBaseInStructure*> nodes_;
    size_t copied_ = 0;  // how many leading nodes are copies
    bool ok_ = true;
};

}  // namespace coopvk::layer
