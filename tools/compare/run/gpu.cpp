// SPDX-License-Identifier: Apache-2.0
#include "compare/run/gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "settings/names.hpp"
#include "system/system.hpp"

namespace coopvk::compare {
namespace {

// The extension, and the extensions that it needs.
std::vector<std::string> extensionsFor(const std::string& extension) {
    if (extension != VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME) return {extension};
    return {extension, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};
}

// Extensions with number formats for matrices, if a side has them.
std::vector<std::string> formatsFor(const std::string& extension) {
    if (extension != VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME &&
        extension != VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME)
        return {};
    return {VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME, VK_EXT_SHADER_FLOAT8_EXTENSION_NAME};
}

std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
}

// The loader and the layer read these when an instance is created.
void setEnvironment(SideKind side, const GpuOptions& options) {
    using layer::system::setVariable;
    if (side == SideKind::kNative) {
        setVariable("COOPVK_DISABLE", "1");
        return;
    }
    layer::system::unsetVariable("COOPVK_DISABLE");
    setVariable("COOPVK_ENABLE", "1");
    std::vector<std::string> emulated = extensionsFor(options.extension);
    for (const std::string& format : formatsFor(options.extension)) emulated.push_back(format);
    setVariable("COOPVK_EMULATE", join(emulated));
    setVariable("COOPVK_BACK_END", options.backEnd);
    if (std::getenv("COOPVK_LOG_LEVEL") == nullptr) {
        setVariable("COOPVK_LOG_LEVEL", options.logLevel);
    }
}

struct ExtensionFeatures {
    vulkan::Extension<Features> extension;
    VkBool32 (*enabled)(const Features&);
};
constexpr ExtensionFeatures kExtensions[] = {
    {{VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
      [](Features& f) -> void* { return &f.khrMatrix; }},
     [](const Features& f) { return f.khrMatrix.cooperativeMatrix; }},
    {{VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV,
      [](Features& f) -> void* { return &f.nvMatrix; }},
     [](const Features& f) { return f.nvMatrix.cooperativeMatrix; }},
    // Sizes of matrices come from flexible dimensions.
    {{VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV,
      [](Features& f) -> void* { return &f.nvMatrix2; }},
     [](const Features& f) { return f.nvMatrix2.cooperativeMatrixFlexibleDimensions; }},
    {{VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
      [](Features& f) -> void* { return &f.nvVector; }},
     [](const Features& f) { return f.nvVector.cooperativeVector; }},
    {{"VK_EXT_shader_ocp_microscaling_types",
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT,
      [](Features& f) -> void* { return &f.microscaling; }},
     [](const Features& f) {
         const auto& m = f.microscaling;
         return VkBool32{m.shaderFloat4 || m.shaderFloat6 || m.shaderFloat8UnsignedE8M0 ||
                         m.shaderMXInt8};
     }},
    {{VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
      [](Features& f) -> void* { return &f.bfloat16; }},
     [](const Features&) { return VkBool32{VK_TRUE}; }},
    {{VK_EXT_SHADER_FLOAT8_EXTENSION_NAME,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT,
      [](Features& f) -> void* { return &f.float8; }},
     [](const Features&) { return VkBool32{VK_TRUE}; }},
};

}  // namespace

bool layerIsListed() {
    const auto layers = vulkan::listAll("vkEnumerateInstanceLayerProperties", VkLayerProperties{},
                                        vkEnumerateInstanceLayerProperties);
    return std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
        return std::strcmp(layer.layerName, layer::kLayerName) == 0;
    });
}

std::string_view nameOf(SideKind side) { return side == SideKind::kNative ? "native" : "emulated"; }

Gpu::Gpu(SideKind kind, const GpuOptions& options) : side(kind) {
    createInstance(options);
    choosePhysicalDevice(options.index);
    if (layerIsPresent() != (kind == SideKind::kEmulated)) {
        throw std::runtime_error(
            kind == SideKind::kEmulated
                ? "the loader does not find coopvk's layer: set VK_ADD_IMPLICIT_LAYER_PATH (or "
                  "VK_ADD_LAYER_PATH) to the folder of VkLayer_coopvk.json"
                : "coopvk's layer hides the driver's own implementation: unset VK_INSTANCE_LAYERS");
    }
    queryDevice(options.extension);
    createDevice(options.extension);
}

Gpu::~Gpu() {
    commands_.reset();
    if (device) vk.vkDestroyDevice(device, nullptr);
    if (instance) vki.vkDestroyInstance(instance, nullptr);
}

void Gpu::createInstance(const GpuOptions& options) {
    setEnvironment(side, options);
    COOPVK_CHECK(volkInitialize());
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    // Also by name, since it may be found as an explicit layer.
    if (side == SideKind::kEmulated && layerIsListed()) {
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer::kLayerName;
    }
    instance = vulkan::createInstance("coopvk compare", VK_API_VERSION_1_3, info);
    volkLoadInstanceTable(&vki, instance);
}

void Gpu::choosePhysicalDevice(uint32_t index) {
    physical = vulkan::physicalDevice(instance, vki.vkEnumeratePhysicalDevices, index);
    vki.vkGetPhysicalDeviceProperties(physical, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_3)
        throw std::runtime_error(std::string(properties.deviceName) + " has no Vulkan 1.3");
}

bool Gpu::layerIsPresent() const {
    return vulkan::hasTool(physical, vki.vkGetPhysicalDeviceToolProperties, "coopvk");
}

void Gpu::queryDevice(const std::string& extension) {
    const auto all = vulkan::extensionsOf(physical, vki.vkEnumerateDeviceExtensionProperties);
    const bool listed = vulkan::contains(all, extension);

    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    properties13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
    properties13.pNext = &driver;
    properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    properties11.pNext = &properties13;
    vectorProperties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_PROPERTIES_NV;
    matrix2Properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV;
    if (listed && extension == VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME)
        driver.pNext = &vectorProperties;
    if (listed && extension == VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME)
        driver.pNext = &matrix2Properties;
    VkPhysicalDeviceProperties2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties11};
    vki.vkGetPhysicalDeviceProperties2(physical, &core);

    std::vector<vulkan::Extension<Features>> wanted;
    const std::vector<std::string> names = extensionsFor(extension);
    formats_ = formatsFor(extension);
    std::erase_if(formats_, [&](const std::string& name) { return !vulkan::contains(all, name); });
    for (const ExtensionFeatures& row : kExtensions)
        if (vulkan::contains(names, row.extension.name) ||
            vulkan::contains(formats_, row.extension.name))
            wanted.push_back(row.extension);
    vulkan::chainFeatures<Features>(features, wanted, all);
    vki.vkGetPhysicalDeviceFeatures2(physical, &features.core);
    // Guards around the buffers show whether a case writes to memory outside of them.
    features.core.features.robustBufferAccess = VK_FALSE;
    hasExtension_ = true;
    for (const std::string& name : names) hasExtension_ &= vulkan::contains(all, name);
    for (const ExtensionFeatures& row : kExtensions)
        hasExtension_ &= !vulkan::contains(names, row.extension.name) || row.enabled(features);
}

void Gpu::createDevice(const std::string& extension) {
    queueFamily =
        vulkan::computeFamily(physical, vki.vkGetPhysicalDeviceQueueFamilyProperties).index;
    const std::vector<std::string> needed = extensionsFor(extension);
    std::vector<const char*> names;
    for (const std::string& name : needed)
        if (hasExtension_) names.push_back(name.c_str());
    for (const std::string& name : formats_) names.push_back(name.c_str());
    device = vulkan::createDevice(physical, vki.vkCreateDevice, queueFamily, names, &features.core);
    volkLoadDeviceTable(&vk, device);
    vk.vkGetDeviceQueue(device, queueFamily, 0, &queue);
    commands_.emplace(device, vk, queue, queueFamily);
}

std::string Gpu::name() const {
    return std::string(properties.deviceName) + ", " + driver.driverName + " " + driver.driverInfo;
}

}  // namespace coopvk::compare
