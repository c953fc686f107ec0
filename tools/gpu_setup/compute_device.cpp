// SPDX-License-Identifier: Apache-2.0
#include "compute_device.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "bindings.hpp"

namespace coopvk::vulkan {

ComputeDevice::~ComputeDevice() {
    commands_.reset();
    if (device != VK_NULL_HANDLE) vk.vkDestroyDevice(device, nullptr);
    if (instance != VK_NULL_HANDLE) vki.vkDestroyInstance(instance, nullptr);
}

void ComputeDevice::find(const char* program, uint32_t index, const VkInstanceCreateInfo& info) {
    instance = createInstance(program, VK_API_VERSION_1_3, info);
    volkLoadInstanceTable(&vki, instance);
    physical = physicalDevice(instance, vki.vkEnumeratePhysicalDevices, index);
    vki.vkGetPhysicalDeviceProperties(physical, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_3)
        throw std::runtime_error(std::string(properties.deviceName) + " has no Vulkan 1.3");
    VkPhysicalDeviceProperties2 all{};
    Chain chain(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &all);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, &driver_);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &properties11);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &properties12);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES, &properties13);
    vki.vkGetPhysicalDeviceProperties2(physical, &all);
    listed_ = extensionsOf(physical, vki.vkEnumerateDeviceExtensionProperties);
}

void ComputeDevice::create(std::span<const FeatureStructure> extensions, bool robust) {
    Chain chain(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features_);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features11_);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features12);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &features13);
    std::vector<const char*> names;
    others_.reserve(extensions.size());
    for (const FeatureStructure& row : extensions) {
        if (!lists(row.extension)) continue;
        names.push_back(row.extension);
        if (row.type == VK_STRUCTURE_TYPE_MAX_ENUM) continue;
        chain.add(row.type, others_.emplace_back(row.size).data());
    }
    vki.vkGetPhysicalDeviceFeatures2(physical, &features_);
    features_.features.robustBufferAccess &= VkBool32{robust};
    const uint32_t family =
        computeFamily(physical, vki.vkGetPhysicalDeviceQueueFamilyProperties).index;
    device = createDevice(physical, vki.vkCreateDevice, family, names, &features_);
    volkLoadDeviceTable(&vk, device);
    VkQueue queue = VK_NULL_HANDLE;
    vk.vkGetDeviceQueue(device, family, 0, &queue);
    commands_.emplace(device, vk, queue, family);
}

std::string ComputeDevice::name() const {
    return std::string(properties.deviceName) + ", " + driver_.driverName + " " +
           driver_.driverInfo;
}

void ComputeDevice::copyFeatures(VkStructureType type, void* to, size_t size) const {
    for (const std::vector<std::byte>& structure : others_) {
        VkBaseOutStructure head;
        std::memcpy(&head, structure.data(), sizeof(head));
        if (head.sType == type) std::memcpy(to, structure.data(), std::min(size, structure.size()));
    }
}

bool ComputeDevice::hasFeature(VkStructureType type, size_t offset) const {
    const void* own[] = {&features_, &features11_, &features12, &features13};
    std::vector<const void*> all(std::begin(own), std::end(own));
    for (const std::vector<std::byte>& structure : others_) all.push_back(structure.data());
    for (const void* structure : all) {
        VkBaseOutStructure head;
        std::memcpy(&head, structure, sizeof(head));
        if (head.sType != type) continue;
        VkBool32 value = VK_FALSE;
        std::memcpy(&value, static_cast<const std::byte*>(structure) + offset, sizeof(value));
        return value != VK_FALSE;
    }
    return false;
}

bool ComputeDevice::choosesLanes() const {
    return features13.subgroupSizeControl &&
           properties13.minSubgroupSize != properties13.maxSubgroupSize &&
           (properties13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
}

VkPipeline ComputeDevice::createPipeline(const ComputeShader& shader) const {
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr,
        shader.lanes};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = shader.flags;
    info.layout = shader.layout;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    if (choosesLanes()) info.stage.pNext = &required;
    if (features13.computeFullSubgroups && shader.isFull)
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = shader.entryPoint;
    info.stage.pSpecializationInfo = shader.specialization;
    info.stage.module = createShaderModule(device, vk, shader.words.data(), shader.words.size());
    return createComputePipeline(device, vk, info);
}

}  // namespace coopvk::vulkan
