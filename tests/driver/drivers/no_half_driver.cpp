// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan driver without half floats: lavapipe with shaderFloat16 hidden. It refuses devices that
// enable the feature, and shader modules that declare Float16.
#include "forwarding.hpp"

namespace coopvk::test {
namespace {

// For the instance or device that was queried last: lavapipe has the same functions for all.
PFN_vkGetPhysicalDeviceFeatures2 nextFeatures = nullptr;
PFN_vkCreateDevice nextDevice = nullptr;
PFN_vkGetDeviceProcAddr nextProc = nullptr;
PFN_vkCreateShaderModule nextModule = nullptr;

// Calls visit(shaderFloat16) for both structures that have it.
template <typename Node, typename Visit>
void visitFeature(Node* chain, Visit visit) {
    for (auto* node = chain; node != nullptr; node = node->pNext) {
        auto* any = const_cast<void*>(static_cast<const void*>(node));
        if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES) {
            visit(static_cast<VkPhysicalDeviceShaderFloat16Int8Features*>(any)->shaderFloat16);
        } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            visit(static_cast<VkPhysicalDeviceVulkan12Features*>(any)->shaderFloat16);
        }
    }
}

VKAPI_ATTR void VKAPI_CALL getFeatures2(VkPhysicalDevice device,
                                        VkPhysicalDeviceFeatures2* features) {
    nextFeatures(device, features);
    visitFeature(static_cast<VkBaseOutStructure*>(features->pNext),
                 [](VkBool32& bit) { bit = VK_FALSE; });
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out) {
    bool asks = false;
    visitFeature(static_cast<const VkBaseInStructure*>(info->pNext),
                 [&](const VkBool32& bit) { asks |= bit != VK_FALSE; });
    return asks ? VK_ERROR_FEATURE_NOT_PRESENT : nextDevice(device, info, allocator, out);
}

bool declaresHalves(const uint32_t* words, size_t count) {
    constexpr uint32_t kHeader = 5, kOpCapability = 17, kFloat16 = 9;
    for (size_t at = kHeader; at + 1 < count && (words[at] & 0xFFFF) == kOpCapability; at += 2) {
        if (words[at + 1] == kFloat16) return true;
    }
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL createModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                            const VkAllocationCallbacks* allocator,
                                            VkShaderModule* out) {
    if (declaresHalves(info->pCode, info->codeSize / 4)) return VK_ERROR_INVALID_SHADER_NV;
    return nextModule(device, info, allocator, out);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProc(VkDevice device, const char* name);

}  // namespace

PFN_vkVoidFunction hooked(std::string_view name, PFN_vkVoidFunction below) {
    const auto is = [&](std::string_view other) { return name == other; };
    if (is("vkGetPhysicalDeviceFeatures2") || is("vkGetPhysicalDeviceFeatures2KHR")) {
        return hook(below, nextFeatures, &getFeatures2);
    }
    if (is("vkCreateDevice")) return hook(below, nextDevice, &createDevice);
    if (is("vkGetDeviceProcAddr")) return hook(below, nextProc, &getDeviceProc);
    if (is("vkCreateShaderModule")) return hook(below, nextModule, &createModule);
    return below;
}

namespace {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProc(VkDevice device, const char* name) {
    return hooked(name, nextProc(device, name));
}

}  // namespace
}  // namespace coopvk::test
