// SPDX-License-Identifier: Apache-2.0
//
// Queries of the physical device, but its properties.
#include <algorithm>

#include "commands.hpp"
#include "features.hpp"
#include "instance.hpp"
#include "memory.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr VkQueueFamilyProperties kFamily = {
    VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 64, {1, 1, 1}};

}  // namespace

VkResult EnumerateDeviceExtensionProperties(VkPhysicalDevice handle, const char* layer,
                                            uint32_t* count, VkExtensionProperties* out) {
    const ExtensionSet none;
    const ExtensionSet& available = from<PhysicalDevice>(handle)->extensions;
    return listExtensions(ExtensionKind::kDevice, layer == nullptr ? available : none, count, out);
}

VkResult EnumerateDeviceLayerProperties(VkPhysicalDevice, uint32_t* count, VkLayerProperties*) {
    *count = 0;
    return VK_SUCCESS;
}

void GetPhysicalDeviceFeatures(VkPhysicalDevice, VkPhysicalDeviceFeatures* out) {
    *out = coreFeatures();
}

void GetPhysicalDeviceFeatures2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2* out) {
    out->features = coreFeatures();
    fillFeatures(from<PhysicalDevice>(handle)->extensions, out->pNext);
}

void GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, uint32_t* count,
                                            VkQueueFamilyProperties* out) {
    writeList(1, count, out, [](VkQueueFamilyProperties& to, uint32_t) { to = kFamily; });
}

void GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice, uint32_t* count,
                                             VkQueueFamilyProperties2* out) {
    writeList(1, count, out,
              [](VkQueueFamilyProperties2& to, uint32_t) { to.queueFamilyProperties = kFamily; });
}

void GetPhysicalDeviceMemoryProperties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* out) {
    *out = {};
    out->memoryTypeCount = static_cast<uint32_t>(std::size(kMemoryTypes));
    for (size_t i = 0; i < std::size(kMemoryTypes); ++i) out->memoryTypes[i] = {kMemoryTypes[i], 0};
    out->memoryHeapCount = 1;
    out->memoryHeaps[0] = {kHeapSize, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

void GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice handle,
                                        VkPhysicalDeviceMemoryProperties2* out) {
    GetPhysicalDeviceMemoryProperties(handle, &out->memoryProperties);
}

// There are no images, so formats have no features.

void GetPhysicalDeviceFormatProperties(VkPhysicalDevice, VkFormat, VkFormatProperties* out) {
    *out = {};
}

void GetPhysicalDeviceFormatProperties2(VkPhysicalDevice, VkFormat, VkFormatProperties2* out) {
    out->formatProperties = {};
    auto* more = findOut<VkFormatProperties3>(out->pNext, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3);
    if (more != nullptr)
        more->linearTilingFeatures = more->optimalTilingFeatures = more->bufferFeatures = 0;
}

VkResult GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice, VkFormat, VkImageType,
                                                VkImageTiling, VkImageUsageFlags,
                                                VkImageCreateFlags, VkImageFormatProperties* out) {
    *out = {};
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

VkResult GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice,
                                                 const VkPhysicalDeviceImageFormatInfo2*,
                                                 VkImageFormatProperties2* out) {
    out->imageFormatProperties = {};
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

void GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice, VkFormat, VkImageType,
                                                  VkSampleCountFlagBits, VkImageUsageFlags,
                                                  VkImageTiling, uint32_t* count,
                                                  VkSparseImageFormatProperties*) {
    *count = 0;
}

void GetPhysicalDeviceSparseImageFormatProperties2(VkPhysicalDevice,
                                                   const VkPhysicalDeviceSparseImageFormatInfo2*,
                                                   uint32_t* count,
                                                   VkSparseImageFormatProperties2*) {
    *count = 0;
}

// Nothing can be exported or imported.

void GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice,
                                               const VkPhysicalDeviceExternalBufferInfo* info,
                                               VkExternalBufferProperties* out) {
    out->externalMemoryProperties = {};
    out->externalMemoryProperties.compatibleHandleTypes = info->handleType;
}

void GetPhysicalDeviceExternalFenceProperties(VkPhysicalDevice,
                                              const VkPhysicalDeviceExternalFenceInfo*,
                                              VkExternalFenceProperties* out) {
    out->exportFromImportedHandleTypes = out->compatibleHandleTypes = 0;
    out->externalFenceFeatures = 0;
}

void GetPhysicalDeviceExternalSemaphoreProperties(VkPhysicalDevice,
                                                  const VkPhysicalDeviceExternalSemaphoreInfo*,
                                                  VkExternalSemaphoreProperties* out) {
    out->exportFromImportedHandleTypes = out->compatibleHandleTypes = 0;
    out->externalSemaphoreFeatures = 0;
}

VkResult GetPhysicalDeviceToolProperties(VkPhysicalDevice, uint32_t* count,
                                         VkPhysicalDeviceToolProperties*) {
    *count = 0;
    return VK_SUCCESS;
}

}  // namespace coopvk::reference::icd
