// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

void check(VkResult result, const char* what) {
    if (result == VK_SUCCESS) return;
    std::fprintf(stderr, "stacking: %s: VkResult %d\n", what, result);
    std::exit(1);
}

Gpu::Gpu(const Options& options) : options_(options) {
    if (!findVulkan(vulkan_)) check(VK_ERROR_INITIALIZATION_FAILED, "loader");
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = options.version;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    const char* extension = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
    if (options.version < VK_API_VERSION_1_1 && options.properties2) {
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    std::vector<const char*> values;
    for (const auto& setting : options.settings) values.push_back(setting.second.c_str());
    std::vector<VkLayerSettingEXT> list;
    for (size_t i = 0; i < values.size(); ++i) {
        list.push_back({"VK_LAYER_COOPVK_emulation", options.settings[i].first.c_str(),
                        VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &values[i]});
    }
    VkLayerSettingsCreateInfoEXT settings = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT};
    settings.settingCount = static_cast<uint32_t>(list.size());
    settings.pSettings = list.data();
    if (!list.empty()) info.pNext = &settings;
    check(vulkan_.vkCreateInstance(&info, nullptr, &instance_), "vkCreateInstance");
    findVulkan(vulkan_, instance_);
    take(0);
}

Gpu::Gpu(const Gpu& other, uint32_t number)
    : options_(other.options_),
      vulkan_(other.vulkan_),
      instance_(other.instance_),
      isShared_(true) {
    take(number);
}

void Gpu::take(uint32_t number) {
    uint32_t count = number + 1;
    std::vector<VkPhysicalDevice> devices(count);
    const VkResult result = vulkan_.vkEnumeratePhysicalDevices(instance_, &count, devices.data());
    if (result != VK_INCOMPLETE) check(result, "vkEnumeratePhysicalDevices");
    if (count <= number) check(VK_ERROR_INITIALIZATION_FAILED, "too few devices");
    physical_ = devices[number];
    vulkan_.vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> listed(count);
    check(vulkan_.vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, listed.data()),
          "vkEnumerateDeviceExtensionProperties");
    for (const auto& one : listed) extensions_.push_back(one.extensionName);
    matrices_ = findMatrices();
}

Gpu::~Gpu() {
    if (!isShared_) vulkan_.vkDestroyInstance(instance_, nullptr);
}

bool Gpu::lists(std::string_view extension) const {
    return std::ranges::find(extensions_, extension) != extensions_.end();
}

bool Gpu::findMatrices() {
    if (!lists(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) return false;
    const auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
        vulkan_.vkGetInstanceProcAddr(instance_,
                                      "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
    const bool core = options_.version >= VK_API_VERSION_1_1;
    const auto getFeatures =
        reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures2>(vulkan_.vkGetInstanceProcAddr(
            instance_, core ? "vkGetPhysicalDeviceFeatures2" : "vkGetPhysicalDeviceFeatures2KHR"));
    // Without the latter, it cannot be queried.
    if (get == nullptr || getFeatures == nullptr) return false;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &matrices};
    getFeatures(physical_, &features);
    if (!matrices.cooperativeMatrix) return false;
    uint32_t count = 0;
    check(get(physical_, &count, nullptr), "matrix properties");
    std::vector<VkCooperativeMatrixPropertiesKHR> rows(
        count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
    check(get(physical_, &count, rows.data()), "matrix properties");
    return std::ranges::any_of(rows, [](const VkCooperativeMatrixPropertiesKHR& row) {
        return row.MSize == 8 && row.NSize == 8 && row.KSize == 8 &&
               row.AType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
               row.BType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
               row.CType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
               row.ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR;
    });
}

VkDevice Gpu::makeDevice(bool matrices, bool shaderObjects) {
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR feature = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    feature.cooperativeMatrix = VK_TRUE;
    VkPhysicalDeviceVulkanMemoryModelFeatures memory = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, &feature};
    memory.vulkanMemoryModel = VK_TRUE;
    VkPhysicalDeviceShaderObjectFeaturesEXT objects = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, &memory};
    objects.shaderObject = VK_TRUE;
    std::vector<const char*> names = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};
    if (options_.version < VK_API_VERSION_1_2) {
        names.push_back(VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME);
    }
    if (shaderObjects) names.push_back(VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    if (matrices) {
        info.pNext = &memory;
        if (shaderObjects) info.pNext = &objects;
        info.enabledExtensionCount = static_cast<uint32_t>(names.size());
        info.ppEnabledExtensionNames = names.data();
    }
    VkDevice device = VK_NULL_HANDLE;
    check(vulkan_.vkCreateDevice(physical_, &info, nullptr, &device), "vkCreateDevice");
    return device;
}
