// SPDX-License-Identifier: Apache-2.0
#include "loader/commands.hpp"
#include "loader/link.hpp"
#include "loader/property_queries.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer {
VkResult createInstance(const VkInstanceCreateInfo* createInfo,
                        const VkAllocationCallbacks* allocator, VkInstance* instance) {
    auto* link = findLink<VkLayerInstanceCreateInfo>(createInfo->pNext);
    if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const auto getNext = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const auto getNextPhysical = link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
    const auto create =
        reinterpret_cast<PFN_vkCreateInstance>(getNext(VK_NULL_HANDLE, "vkCreateInstance"));
    if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;

    std::vector<std::string> complaints;
    CreationMessenger creator(*createInfo);
    const auto context = std::make_shared<InstanceContext>(loadSettings(createInfo, complaints),
                                                           programNames(createInfo), &creator);
    for (const std::string& complaint : complaints) context->log->warn(complaint);

    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const VkResult result = create(createInfo, allocator, instance);
    if (result != VK_SUCCESS) return result;
    auto undo = undoBelow<PFN_vkDestroyInstance>(getNext, "vkDestroyInstance", instance, allocator);
    context->connect(*createInfo, *instance, getNext, getNextPhysical);
    context->nextQueries = loadNextQueries(*instance, getNext, getNextPhysical);
    instances().add(*instance, context);
    undo.dismiss();
    return VK_SUCCESS;
}

void destroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
    if (instance == VK_NULL_HANDLE) return;
    const auto context = instances().take(instance);
    if (context == nullptr) return;
    if (context->statistics != nullptr) context->statistics->writeSummary();
    context->next.DestroyInstance(instance, allocator);
}

}  // namespace coopvk::layer
