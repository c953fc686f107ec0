// SPDX-License-Identifier: Apache-2.0
#include "compare/selftest/shader_device.hpp"

#include <stdexcept>

#include "compare/run/gpu.hpp"
#include "device/extension_rows.hpp"
#include "settings/names.hpp"
#include "system/system.hpp"

namespace coopvk::compare {
namespace {

const char* nameOf(rewrite::Extension extension) {
    return rewrite::info(extension).vulkanName.data();
}

}  // namespace

ShaderDevice::ShaderDevice(uint32_t index, std::span<const rewrite::Extension> extensions,
                           const std::string& backEnd) {
    createInstance(extensions, backEnd);
    physical = vulkan::physicalDevice(instance, vki.vkEnumeratePhysicalDevices, index);
    if (!vulkan::hasTool(physical, vki.vkGetPhysicalDeviceToolProperties, "coopvk"))
        throw std::runtime_error("the loader does not find coopvk's layer");
    properties13_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
    properties11_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    properties11_.pNext = &properties13_;
    VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              &properties11_};
    vki.vkGetPhysicalDeviceProperties2(physical, &properties);
    if (properties.properties.apiVersion < VK_API_VERSION_1_3)
        throw std::runtime_error("it has no Vulkan 1.3");
    createDevice(extensions);
}

ShaderDevice::~ShaderDevice() {
    commands.reset();
    if (device != VK_NULL_HANDLE) vk.vkDestroyDevice(device, nullptr);
    if (instance != VK_NULL_HANDLE) vki.vkDestroyInstance(instance, nullptr);
}

bool ShaderDevice::choosesSize() const {
    return v13_.subgroupSizeControl &&
           properties13_.minSubgroupSize != properties13_.maxSubgroupSize &&
           (properties13_.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
}

void ShaderDevice::createInstance(std::span<const rewrite::Extension> extensions,
                                  const std::string& backEnd) {
    using layer::system::setVariable;
    layer::system::unsetVariable("COOPVK_DISABLE");
    setVariable("COOPVK_ENABLE", "1");
    std::string names;
    for (const rewrite::Extension extension : extensions)
        names += (names.empty() ? "" : ",") + std::string(nameOf(extension));
    setVariable("COOPVK_EMULATE", names);
    setVariable("COOPVK_REMEMBER", "off");
    setVariable("COOPVK_BACK_END", backEnd);
    COOPVK_CHECK(volkInitialize());
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    if (layerIsListed()) {  // it may be an explicit one
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer::kLayerName;
    }
    instance = vulkan::createInstance("coopvk selftest", VK_API_VERSION_1_3, info);
    volkLoadInstanceTable(&vki, instance);
}

void ShaderDevice::createDevice(std::span<const rewrite::Extension> extensions) {
    const auto listed = vulkan::extensionsOf(physical, vki.vkEnumerateDeviceExtensionProperties);
    vulkan::Chain chain(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &core_);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v11_);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v12_);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &v13_);
    std::vector<const char*> names;
    for (const rewrite::Extension extension : extensions) {
        const layer::ExtensionRow& row = layer::extensionRow(extension);
        if (!vulkan::contains(listed, nameOf(extension)))
            throw std::runtime_error("coopvk does not offer it here (coopvk info says why)");
        names.push_back(nameOf(extension));
        if (row.aggregateType != VK_STRUCTURE_TYPE_MAX_ENUM) continue;  // in the core's structures
        others_.emplace_back(row.featureSize);
        chain.add(row.featureType, others_.back().data());
    }
    vki.vkGetPhysicalDeviceFeatures2(physical, &core_);
    core_.features.robustBufferAccess = VK_FALSE;  // which costs time
    const uint32_t family =
        vulkan::computeFamily(physical, vki.vkGetPhysicalDeviceQueueFamilyProperties).index;
    device = vulkan::createDevice(physical, vki.vkCreateDevice, family, names, &core_);
    volkLoadDeviceTable(&vk, device);
    VkQueue queue = VK_NULL_HANDLE;
    vk.vkGetDeviceQueue(device, family, 0, &queue);
    commands.emplace(device, vk, queue, family);
}

}  // namespace coopvk::compare
