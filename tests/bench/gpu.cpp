// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace coopvk::bench {
namespace {

// The loader and the layer read these when an instance is created.
void setEnvironment(Layer layer, const LayerSettings& settings) {
    static const char* const kCallersChoice = getenv("COOPVK_EMULATE");
    if (layer == Layer::kPresent) {
        unsetenv("COOPVK_DISABLE");
        setenv("COOPVK_ENABLE", "1", 1);
        if (!kCallersChoice) setenv("COOPVK_EMULATE", settings.emulate, 1);
        setenv("COOPVK_BACK_END", settings.backEnd, 1);
    } else {
        setenv("COOPVK_DISABLE", "1", 1);
    }
}

constexpr vulkan::Extension<Features> kOptional[] = {
    {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
     [](Features& f) -> void* { return &f.cooperativeMatrix; }},
    {VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV,
     [](Features& f) -> void* { return &f.nvCooperativeMatrix; }},
    {VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV,
     [](Features& f) -> void* { return &f.cooperativeMatrix2; }},
    {VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
     [](Features& f) -> void* { return &f.cooperativeVector; }},
    {VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
     [](Features& f) -> void* { return &f.bfloat16; }},
    {VK_EXT_SHADER_FLOAT8_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT,
     [](Features& f) -> void* { return &f.float8; }},
    {VK_COOPVK_SHADER_INT4_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK,
     [](Features& f) -> void* { return &f.int4; }},
    {VK_COOPVK_SHADER_2D_BLOCK_IO_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK,
     [](Features& f) -> void* { return &f.blockIo; }},
};

}  // namespace

Gpu::Gpu(Layer layer, uint32_t index, const LayerSettings& settings) {
    createInstance(layer, settings);
    physical = vulkan::physicalDevice(instance, vki.vkEnumeratePhysicalDevices, index);
    checkLayer(layer);
    queryDevice();
    createDevice();
}

Gpu::~Gpu() {
    commands_.reset();
    if (device) vk.vkDestroyDevice(device, nullptr);
    if (instance) vki.vkDestroyInstance(instance, nullptr);
}

void Gpu::createInstance(Layer layer, const LayerSettings& settings) {
    setEnvironment(layer, settings);
    instance = vulkan::createInstance("coopvk benchmarks", VK_API_VERSION_1_3);
    volkLoadInstanceTable(&vki, instance);
}

void Gpu::checkLayer(Layer layer) const {
    const bool present = vulkan::hasTool(physical, vki.vkGetPhysicalDeviceToolProperties, "coopvk");
    if (present == (layer == Layer::kPresent)) return;
    throw std::runtime_error(present ? "coopvk is in the way of the driver's own features"
                                     : "the loader does not find coopvk: set "
                                       "VK_IMPLICIT_LAYER_PATH to the folder of its manifest");
}

void Gpu::queryDevice() {
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    properties11.pNext = &driver;
    VkPhysicalDeviceProperties2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties11};
    vki.vkGetPhysicalDeviceProperties2(physical, &core);
    properties = core.properties;

    extensions = vulkan::extensionsOf(physical, vki.vkEnumerateDeviceExtensionProperties);
    vulkan::chainFeatures<Features>(features, kOptional, extensions);
    vki.vkGetPhysicalDeviceFeatures2(physical, &features.core);
    // Bounds checks would be timed too.
    features.core.features.robustBufferAccess = VK_FALSE;
    features.v13.robustImageAccess = VK_FALSE;

    if (!features.cooperativeMatrix.cooperativeMatrix) return;
    const auto query = [&](uint32_t* count, VkCooperativeMatrixPropertiesKHR* out) {
        return vki.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, count, out);
    };
    shapes_ = vulkan::listAll<VkCooperativeMatrixPropertiesKHR>(
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
        {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR}, query);
}

void Gpu::createDevice() {
    const auto family =
        vulkan::computeFamily(physical, vki.vkGetPhysicalDeviceQueueFamilyProperties);
    queueFamily = family.index;
    timestamps = family.properties.timestampValidBits != 0;
    const auto names = vulkan::namesOf<Features>(kOptional, extensions);
    device = vulkan::createDevice(physical, vki.vkCreateDevice, queueFamily, names, &features.core);
    volkLoadDeviceTable(&vk, device);
    vk.vkGetDeviceQueue(device, queueFamily, 0, &queue);
    commands_.emplace(device, vk, queue, queueFamily);
}

bool Gpu::has(std::string_view extension) const { return vulkan::contains(extensions, extension); }

std::string Gpu::name() const {
    return std::string(properties.deviceName) + ", " + driver.driverName + " " + driver.driverInfo;
}

bool Gpu::multiplies(uint32_t m, uint32_t n, uint32_t k, VkComponentTypeKHR sum) const {
    const auto fits = [&](const VkCooperativeMatrixPropertiesKHR& shape) {
        return shape.MSize == m && shape.NSize == n && shape.KSize == k &&
               shape.AType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
               shape.BType == VK_COMPONENT_TYPE_FLOAT16_KHR && shape.CType == sum &&
               shape.ResultType == sum && shape.scope == VK_SCOPE_SUBGROUP_KHR;
    };
    return std::any_of(shapes_.begin(), shapes_.end(), fits);
}

Pair::Pair(uint32_t index) : native(Layer::kAbsent, index), emulated(Layer::kPresent, index) {
    if (std::memcmp(native.properties11.deviceUUID, emulated.properties11.deviceUUID,
                    VK_UUID_SIZE) != 0)
        throw std::runtime_error("the loader lists devices in another order with the layer");
}

}  // namespace coopvk::bench
