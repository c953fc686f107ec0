// SPDX-License-Identifier: Apache-2.0
//
// The reference device for programs that refuse devices without graphics, such as Dawn, and then
// only compute. It says that it can draw; who tries gets an error.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "forwarding.hpp"

namespace coopvk::test {
namespace {

// For the instance that was queried last: the driver has the same functions for all.
PFN_vkGetPhysicalDeviceFeatures nextFeatures = nullptr;
PFN_vkGetPhysicalDeviceFeatures2 nextFeatures2 = nullptr;
PFN_vkGetPhysicalDeviceProperties nextProperties = nullptr;
PFN_vkGetPhysicalDeviceProperties2 nextProperties2 = nullptr;
PFN_vkGetPhysicalDeviceFormatProperties nextFormat = nullptr;
PFN_vkGetPhysicalDeviceFormatProperties2 nextFormat2 = nullptr;
PFN_vkGetPhysicalDeviceQueueFamilyProperties nextFamilies = nullptr;
PFN_vkGetPhysicalDeviceQueueFamilyProperties2 nextFamilies2 = nullptr;
PFN_vkCreateDevice nextCreateDevice = nullptr;
PFN_vkGetDeviceProcAddr nextDeviceProcAddr = nullptr;

constexpr std::array kClaimed = {
    &VkPhysicalDeviceFeatures::depthBiasClamp,
    &VkPhysicalDeviceFeatures::fragmentStoresAndAtomics,
    &VkPhysicalDeviceFeatures::fullDrawIndexUint32,
    &VkPhysicalDeviceFeatures::imageCubeArray,
    &VkPhysicalDeviceFeatures::independentBlend,
    &VkPhysicalDeviceFeatures::sampleRateShading,
    &VkPhysicalDeviceFeatures::textureCompressionBC,
    &VkPhysicalDeviceFeatures::shaderSampledImageArrayDynamicIndexing,
    &VkPhysicalDeviceFeatures::shaderStorageImageArrayDynamicIndexing,
};

// As the reference device reads it.
uint32_t lanes() {
    const char* text = std::getenv("COOPVK_REFERENCE_SUBGROUP_SIZE");
    return text == nullptr ? 32 : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

void setClaimed(VkPhysicalDeviceFeatures& features, VkBool32 value) {
    for (const auto feature : kClaimed) features.*feature = value;
}

void claimLimits(VkPhysicalDeviceLimits& limits) {
    const auto atLeast = [](uint32_t& limit, uint32_t value) { limit = std::max(limit, value); };
    constexpr VkSampleCountFlags kSamples = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    for (uint32_t* size :
         {&limits.maxImageDimension1D, &limits.maxImageDimension2D, &limits.maxImageDimensionCube,
          &limits.maxFramebufferWidth, &limits.maxFramebufferHeight}) {
        atLeast(*size, 16384);
    }
    for (uint32_t* size : {&limits.maxImageDimension3D, &limits.maxImageArrayLayers}) {
        atLeast(*size, 2048);
    }
    for (uint32_t* count :
         {&limits.maxPerStageDescriptorSampledImages, &limits.maxPerStageDescriptorSamplers,
          &limits.maxPerStageDescriptorStorageImages, &limits.maxDescriptorSetSampledImages,
          &limits.maxDescriptorSetSamplers, &limits.maxDescriptorSetStorageImages,
          &limits.maxSamplerAllocationCount}) {
        atLeast(*count, 4096);
    }
    for (uint32_t* count : {&limits.maxVertexInputAttributes, &limits.maxVertexInputBindings,
                            &limits.maxColorAttachments, &limits.maxFragmentCombinedOutputResources,
                            &limits.maxFragmentOutputAttachments, &limits.maxViewports}) {
        atLeast(*count, 32);
    }
    for (uint32_t* count :
         {&limits.maxVertexInputBindingStride, &limits.maxVertexInputAttributeOffset,
          &limits.maxVertexOutputComponents, &limits.maxFragmentInputComponents}) {
        atLeast(*count, 2048);
    }
    limits.maxColorAttachments = 8;
    limits.maxSamplerAnisotropy = 16;
    limits.maxViewportDimensions[0] = limits.maxViewportDimensions[1] = 16384;
    limits.viewportBoundsRange[0] = -32768;
    limits.viewportBoundsRange[1] = 32767;
    limits.framebufferColorSampleCounts = limits.framebufferDepthSampleCounts = kSamples;
    limits.framebufferStencilSampleCounts = limits.sampledImageColorSampleCounts = kSamples;
}

template <typename Structure>
Structure& as(VkBaseOutStructure& structure) {
    return reinterpret_cast<Structure&>(structure);
}

template <typename Structure>
void claimSize(Structure& structure) {
    structure.minSubgroupSize = structure.maxSubgroupSize = lanes();
}

// Fragments have subgroups, too, and all subgroups have one size, as on NVIDIA's GPUs: programs
// such as ONNX Runtime ask for that.
void claimSubgroups(VkBaseOutStructure& structure) {
    constexpr VkShaderStageFlags kFragment = VK_SHADER_STAGE_FRAGMENT_BIT;
    switch (structure.sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES:
            as<VkPhysicalDeviceSubgroupProperties>(structure).supportedStages |= kFragment;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES:
            as<VkPhysicalDeviceVulkan11Properties>(structure).subgroupSupportedStages |= kFragment;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES:
            claimSize(as<VkPhysicalDeviceSubgroupSizeControlProperties>(structure));
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES:
            claimSize(as<VkPhysicalDeviceVulkan13Properties>(structure));
            break;
        default:
            break;
    }
}

VKAPI_ATTR void VKAPI_CALL getFeatures(VkPhysicalDevice device,
                                       VkPhysicalDeviceFeatures* features) {
    nextFeatures(device, features);
    setClaimed(*features, VK_TRUE);
}

VKAPI_ATTR void VKAPI_CALL getFeatures2(VkPhysicalDevice device,
                                        VkPhysicalDeviceFeatures2* features) {
    nextFeatures2(device, features);
    setClaimed(features->features, VK_TRUE);
}

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice device,
                                         VkPhysicalDeviceProperties* properties) {
    nextProperties(device, properties);
    claimLimits(properties->limits);
}

VKAPI_ATTR void VKAPI_CALL getProperties2(VkPhysicalDevice device,
                                          VkPhysicalDeviceProperties2* properties) {
    nextProperties2(device, properties);
    claimLimits(properties->properties.limits);
    for (auto* next = static_cast<VkBaseOutStructure*>(properties->pNext); next != nullptr;
         next = next->pNext) {
        claimSubgroups(*next);
    }
}

VKAPI_ATTR void VKAPI_CALL getFormat(VkPhysicalDevice, VkFormat, VkFormatProperties* properties) {
    properties->linearTilingFeatures = properties->optimalTilingFeatures = 0x1ffff;
    properties->bufferFeatures = 0x1ffff;
}

VKAPI_ATTR void VKAPI_CALL getFormat2(VkPhysicalDevice device, VkFormat format,
                                      VkFormatProperties2* properties) {
    nextFormat2(device, format, properties);
    getFormat(device, format, &properties->formatProperties);
}

VKAPI_ATTR void VKAPI_CALL getFamilies(VkPhysicalDevice device, uint32_t* count,
                                       VkQueueFamilyProperties* families) {
    nextFamilies(device, count, families);
    for (uint32_t i = 0; families != nullptr && i < *count; ++i) {
        families[i].queueFlags |= VK_QUEUE_GRAPHICS_BIT;
    }
}

VKAPI_ATTR void VKAPI_CALL getFamilies2(VkPhysicalDevice device, uint32_t* count,
                                        VkQueueFamilyProperties2* families) {
    nextFamilies2(device, count, families);
    for (uint32_t i = 0; families != nullptr && i < *count; ++i) {
        families[i].queueFamilyProperties.queueFlags |= VK_QUEUE_GRAPHICS_BIT;
    }
}

// Without what it does not have.
VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical,
                                            const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator,
                                            VkDevice* device) {
    VkDeviceCreateInfo own = *info;
    VkPhysicalDeviceFeatures features{};
    if (info->pEnabledFeatures != nullptr) {
        features = *info->pEnabledFeatures;
        setClaimed(features, VK_FALSE);
        own.pEnabledFeatures = &features;
    }
    for (auto* next = static_cast<const VkBaseOutStructure*>(info->pNext); next != nullptr;
         next = next->pNext) {
        if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) continue;
        // The structure is the program's, which passed it as const: it is restored below.
        auto* chained =
            reinterpret_cast<VkPhysicalDeviceFeatures2*>(const_cast<VkBaseOutStructure*>(next));
        const VkPhysicalDeviceFeatures before = chained->features;
        setClaimed(chained->features, VK_FALSE);
        const VkResult result = nextCreateDevice(physical, &own, allocator, device);
        chained->features = before;
        return result;
    }
    return nextCreateDevice(physical, &own, allocator, device);
}

VKAPI_ATTR VkResult VKAPI_CALL cannot() { return VK_ERROR_FEATURE_NOT_PRESENT; }

// Whoever loads all functions of Vulkan 1.0 must find some, also those of graphics.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name) {
    const PFN_vkVoidFunction function = nextDeviceProcAddr(device, name);
    const std::string_view text = name;
    constexpr std::array<std::string_view, 4> kCore = {"vkCmd", "vkCreate", "vkDestroy", "vkGet"};
    const bool suffix = !text.empty() && text.back() >= 'A' && text.back() <= 'Z';
    if (function != nullptr || suffix) return function;
    const bool core = std::ranges::any_of(kCore, [&](auto head) { return text.starts_with(head); });
    return core ? reinterpret_cast<PFN_vkVoidFunction>(&cannot) : nullptr;
}

}  // namespace

PFN_vkVoidFunction hooked(std::string_view name, PFN_vkVoidFunction below) {
    if (name == "vkGetPhysicalDeviceFeatures") return hook(below, nextFeatures, &getFeatures);
    if (name.starts_with("vkGetPhysicalDeviceFeatures2")) {
        return hook(below, nextFeatures2, &getFeatures2);
    }
    if (name == "vkGetPhysicalDeviceProperties") return hook(below, nextProperties, &getProperties);
    if (name.starts_with("vkGetPhysicalDeviceProperties2")) {
        return hook(below, nextProperties2, &getProperties2);
    }
    if (name == "vkGetPhysicalDeviceFormatProperties") return hook(below, nextFormat, &getFormat);
    if (name.starts_with("vkGetPhysicalDeviceFormatProperties2")) {
        return hook(below, nextFormat2, &getFormat2);
    }
    if (name == "vkGetPhysicalDeviceQueueFamilyProperties") {
        return hook(below, nextFamilies, &getFamilies);
    }
    if (name.starts_with("vkGetPhysicalDeviceQueueFamilyProperties2")) {
        return hook(below, nextFamilies2, &getFamilies2);
    }
    if (name == "vkCreateDevice") return hook(below, nextCreateDevice, &createDevice);
    if (name == "vkGetDeviceProcAddr") return hook(below, nextDeviceProcAddr, &getDeviceProcAddr);
    return below;
}

}  // namespace coopvk::test
