// SPDX-License-Identifier: Apache-2.0
//
// Instances, physical devices and devices.
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "chain/arrays.hpp"
#include "chain/pnext.hpp"
#include "fakes/fake_parts.hpp"

namespace coopvk::test::fake {
namespace {

VkResult createInstance(const VkInstanceCreateInfo*, const VkAllocationCallbacks* allocator,
                        VkInstance* instance) {
    driver().allocators.insert(allocator);
    auto made = std::make_unique<Dispatchable>();
    if (!driver().objects.make(numberOf(made.get()), allocator)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    ++driver().createdInstances;
    *instance = reinterpret_cast<VkInstance>(made.release());
    return VK_SUCCESS;
}

void destroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
    ++driver().destroyedInstances;
    driver().objects.destroy(numberOf(instance), allocator);
    delete reinterpret_cast<Dispatchable*>(instance);
}

// One, whose handle is the instance's: see FakeDriver::physical().
VkResult enumeratePhysicalDevices(VkInstance instance, uint32_t* count, VkPhysicalDevice* out) {
    const VkPhysicalDevice only = reinterpret_cast<VkPhysicalDevice>(instance);
    return layer::giveArray(std::span<const VkPhysicalDevice>(&only, 1), count, out);
}

void getProperties(VkPhysicalDevice, VkPhysicalDeviceProperties* properties) {
    *properties = {};
    properties->apiVersion = driver().apiVersion;
    properties->driverVersion = 7;
    properties->vendorID = driver().vendorId;
    properties->deviceID = driver().deviceId;
    properties->deviceType = driver().deviceType;
    std::strcpy(properties->deviceName, "fake device");
    properties->limits = driver().limits;
}

void getProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
    getProperties(device, &properties->properties);
    for (auto* node = static_cast<VkBaseOutStructure*>(properties->pNext); node;
         node = node->pNext) {
        if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            auto& subgroup = *reinterpret_cast<VkPhysicalDeviceSubgroupProperties*>(node);
            subgroup.subgroupSize = driver().subgroupSize;
            subgroup.supportedStages = driver().subgroupStages;
            subgroup.supportedOperations =
                VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
        } else if (node->sType ==
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
            auto& control = *reinterpret_cast<VkPhysicalDeviceSubgroupSizeControlProperties*>(node);
            control.minSubgroupSize = driver().minSubgroupSize;
            control.maxSubgroupSize = driver().maxSubgroupSize;
            control.maxComputeWorkgroupSubgroups = 32;
            control.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
        } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            reinterpret_cast<VkPhysicalDeviceDriverProperties*>(node)->driverID = driver().driverId;
        } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES) {
            reinterpret_cast<VkPhysicalDeviceVulkan12Properties*>(node)->driverID =
                driver().driverId;
        } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT) {
            auto& objects = *reinterpret_cast<VkPhysicalDeviceShaderObjectPropertiesEXT*>(node);
            std::memset(objects.shaderBinaryUUID, 0x5a, VK_UUID_SIZE);
        } else if (node->sType ==
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_PROPERTIES_EXT) {
            auto& identifiers =
                *reinterpret_cast<VkPhysicalDeviceShaderModuleIdentifierPropertiesEXT*>(node);
            std::memset(identifiers.shaderModuleIdentifierAlgorithmUUID, 0x3c, VK_UUID_SIZE);
        }
        const auto more = driver().moreProperties.find(node->sType);
        if (more != driver().moreProperties.end())
            std::memcpy(node + 1, more->second.data(), more->second.size() * sizeof(uint32_t));
#ifdef VK_EXT_shader_split_barrier
        if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SPLIT_BARRIER_PROPERTIES_EXT) {
            auto& split = *reinterpret_cast<VkPhysicalDeviceShaderSplitBarrierPropertiesEXT*>(node);
            split.splitBarrierReservedSharedMemory = 4096;
        }
#endif
    }
}

void getFeatures2(VkPhysicalDevice, VkPhysicalDeviceFeatures2* features) {
    for (auto* node = reinterpret_cast<VkBaseOutStructure*>(features); node; node = node->pNext) {
        for (const layer::FeatureRow& row : layer::featureTable()) {
            const bool set = driver().features.test(static_cast<size_t>(row.feature));
            for (const layer::FeaturePlace& place : {row.single, row.aggregate, row.older}) {
                if (place.type == node->sType) layer::featureBit(node, place.offset) = set;
            }
        }
        const auto more = driver().moreFeatures.find(node->sType);
        if (more == driver().moreFeatures.end()) continue;
        std::memcpy(reinterpret_cast<VkBaseInStructure*>(node) + 1, more->second.data(),
                    more->second.size() * sizeof(VkBool32));
    }
}

void getFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures* features) {
    VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    getFeatures2(device, &all);
    *features = all.features;
}

VkResult enumerateExtensions(VkPhysicalDevice, const char*, uint32_t* count,
                             VkExtensionProperties* out) {
    if (driver().listing != VK_SUCCESS) return driver().listing;
    const std::vector<std::string>& names = driver().extensions;
    return layer::giveArray(std::span<const std::string>(names), count, out,
                            [](const std::string& name, VkExtensionProperties& to) {
                                to = {};
                                name.copy(to.extensionName, VK_MAX_EXTENSION_NAME_SIZE - 1);
                                to.specVersion = 1;
                            });
}

VkResult enumerateLayers(VkPhysicalDevice, uint32_t* count, VkLayerProperties*) {
    *count = 0;
    return VK_SUCCESS;
}

VkResult getTools(VkPhysicalDevice, uint32_t* count, VkPhysicalDeviceToolProperties* out) {
    const std::vector<int> tools(driver().tools);
    return layer::giveArray(
        std::span<const int>(tools), count, out,
        [](int, VkPhysicalDeviceToolProperties& to) { std::strcpy(to.name, "driver's tool"); });
}

VkResult createDevice(VkPhysicalDevice, const VkDeviceCreateInfo* info,
                      const VkAllocationCallbacks* allocator, VkDevice* device) {
    SeenDevice seen;
    seen.extensions.assign(info->ppEnabledExtensionNames,
                           info->ppEnabledExtensionNames + info->enabledExtensionCount);
    seen.chain = typesOf(info->pNext);
    seen.hasCoreFeatures = info->pEnabledFeatures != nullptr;
    if (seen.hasCoreFeatures) seen.coreFeatures = *info->pEnabledFeatures;
    for (auto* node = static_cast<const VkBaseInStructure*>(info->pNext); node;
         node = node->pNext) {
        const size_t size = layer::structSize(node->sType);
        if (size == 0 || node->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) continue;
        const auto* first = reinterpret_cast<const VkBool32*>(node + 1);
        seen.features[node->sType].assign(first, first + (size - sizeof(*node)) / sizeof(VkBool32));
    }
    driver().device = seen;
    driver().allocators.insert(allocator);
    const uint64_t again = std::exchange(driver().reuse, 0);
    auto made = again == 0 ? std::make_unique<Dispatchable>() : nullptr;
    const uint64_t number = again == 0 ? numberOf(made.get()) : again;
    if (!driver().objects.make(number, allocator)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    ++driver().createdDevices;
    made.release();
    *device = reinterpret_cast<VkDevice>(number);
    return VK_SUCCESS;
}

void destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
    driver().allocators.insert(allocator);
    ++driver().destroyedDevices;
    driver().objects.destroy(numberOf(device), allocator);
    happen("vkDestroyDevice");
    if (driver().objects.has(numberOf(device))) return;
    delete reinterpret_cast<Dispatchable*>(device);
}

VkResult waitIdle(VkDevice) { return driver().waitResult; }
VkResult queueWaitIdle(VkQueue) { return driver().waitResult; }
VkResult queueSubmit(VkQueue, uint32_t, const VkSubmitInfo*, VkFence) {
    return driver().waitResult;
}
VkResult waitForFences(VkDevice, uint32_t, const VkFence*, VkBool32, uint64_t) {
    return driver().waitResult;
}
VkResult getFenceStatus(VkDevice, VkFence) { return driver().waitResult; }
VkResult waitSemaphores(VkDevice, const VkSemaphoreWaitInfo*, uint64_t) {
    return driver().waitResult;
}

void submitMessage(VkInstance, VkDebugUtilsMessageSeverityFlagBitsEXT,
                   VkDebugUtilsMessageTypeFlagsEXT, const VkDebugUtilsMessengerCallbackDataEXT*) {
    happen("vkSubmitDebugUtilsMessageEXT");
}

const Entry kInstanceEntries[] = {
    COOPVK_FAKE(vkCreateInstance, createInstance),
    COOPVK_FAKE(vkDestroyInstance, destroyInstance),
    COOPVK_FAKE(vkEnumeratePhysicalDevices, enumeratePhysicalDevices),
    COOPVK_FAKE(vkGetPhysicalDeviceProperties, getProperties),
    COOPVK_FAKE(vkGetPhysicalDeviceFeatures, getFeatures),
    COOPVK_FAKE(vkGetPhysicalDeviceProperties2, getProperties2),
    COOPVK_FAKE(vkGetPhysicalDeviceFeatures2, getFeatures2),
    COOPVK_FAKE(vkGetPhysicalDeviceProperties2KHR, getProperties2),
    COOPVK_FAKE(vkGetPhysicalDeviceFeatures2KHR, getFeatures2),
    COOPVK_FAKE(vkEnumerateDeviceExtensionProperties, enumerateExtensions),
    COOPVK_FAKE(vkEnumerateDeviceLayerProperties, enumerateLayers),
    COOPVK_FAKE(vkGetPhysicalDeviceToolProperties, getTools),
    COOPVK_FAKE(vkGetPhysicalDeviceToolPropertiesEXT, getTools),
    COOPVK_FAKE(vkCreateDevice, createDevice),
    COOPVK_FAKE(vkSubmitDebugUtilsMessageEXT, submitMessage),
};

const Entry kDeviceEntries[] = {
    COOPVK_FAKE(vkGetDeviceProcAddr, getDeviceProcAddr),
    COOPVK_FAKE(vkDestroyDevice, destroyDevice),
    COOPVK_FAKE(vkDeviceWaitIdle, waitIdle),
    COOPVK_FAKE(vkQueueSubmit, queueSubmit),
    COOPVK_FAKE(vkQueueWaitIdle, queueWaitIdle),
    COOPVK_FAKE(vkWaitForFences, waitForFences),
    COOPVK_FAKE(vkGetFenceStatus, getFenceStatus),
    COOPVK_FAKE(vkWaitSemaphores, waitSemaphores),
};

}  // namespace

std::span<const Entry> instanceEntries() { return kInstanceEntries; }
std::span<const Entry> deviceEntries() { return kDeviceEntries; }

}  // namespace coopvk::test::fake
