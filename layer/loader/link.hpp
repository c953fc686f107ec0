// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vk_layer.h>

#include "chain/pnext.hpp"
#include "objects/guard.hpp"

namespace coopvk::layer {

template <typename Info>
inline constexpr VkStructureType kLinkType = VK_STRUCTURE_TYPE_MAX_ENUM;
template <>
inline constexpr VkStructureType kLinkType<VkLayerInstanceCreateInfo> =
    VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO;
template <>
inline constexpr VkStructureType kLinkType<VkLayerDeviceCreateInfo> =
    VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;

// The loader's link to the next layer, or null if the chain has none. It is the loader's memory,
// and the loader's protocol requires that the layer advances it.
template <typename Info>
Info* findLink(const void* chain) {
    const auto* node = findNode(chain, kLinkType<Info>);
    while (node != nullptr) {
        auto* info = const_cast<Info*>(reinterpret_cast<const Info*>(node));
        if (info->function == VK_LAYER_LINK_INFO) {
            return info->u.pLayerInfo == nullptr ? nullptr : info;
        }
        node = findNode(node->pNext, kLinkType<Info>);
    }
    return nullptr;
}

// Destroys what the next layer made, by its command of this name.
template <typename Destroy, typename GetProc, typename Handle>
void destroyBelow(GetProc getNext, const char* name, Handle made,
                  const VkAllocationCallbacks* allocator) {
    const auto destroy = reinterpret_cast<Destroy>(getNext(made, name));
    if (destroy != nullptr) destroy(made, allocator);
}

// The same at the end of a scope, unless it is dismissed.
template <typename Destroy, typename GetProc, typename Handle>
auto undoBelow(GetProc getNext, const char* name, Handle* made,
               const VkAllocationCallbacks* allocator) {
    return OnExit([=] {
        destroyBelow<Destroy>(getNext, name, *made, allocator);
        *made = VK_NULL_HANDLE;
    });
}

}  // namespace coopvk::layer
