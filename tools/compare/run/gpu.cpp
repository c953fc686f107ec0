// SPDX-License-Identifier: Apache-2.0
#include "compare/run/gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "settings/names.hpp"
#include "system/system.hpp"

namespace coopvk::compare {
namespace {

// Much more than any case needs; after that the driver is assumed to hang.
constexpr uint64_t kTimeoutNanoseconds = 60ull * 1000 * 1000 * 1000;

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

bool layerIsListed() {
    const auto layers = vulkan::listAll("vkEnumerateInstanceLayerProperties", VkLayerProperties{},
                                        vkEnumerateInstanceLayerProperties);
    return std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
        return std::strcmp(layer.layerName, layer::kLayerName) == 0;
    });
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
    if (device) {
        vk.vkDestroyFence(device, fence_, nullptr);
        vk.vkDestroyCommandPool(device, pool_, nullptr);
        vk.vkDestroyDevice(device, nullptr);
    }
    if (instance) vki.vkDestroyInstance(instance, nullptr);
}

void Gpu::createInstance(const GpuOptions& options) {
    setEnvironment(side, options);
    COOPVK_CHECK(volkInitialize());
    VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    app.pApplicationName = "coopvk compare";
    app.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &app;
    // Also by name, since it may be found as an explicit layer.
    if (side == SideKind::kEmulated && layerIsListed()) {
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer::kLayerName;
    }
    COOPVK_CHECK(vkCreateInstance(&info, nullptr, &instance));
    volkLoadInstanceTable(&vki, instance);
}

void Gpu::choosePhysicalDevice(uint32_t index) {
    physical = vulkan::physicalDevice(instance, vki.vkEnumeratePhysicalDevices, index);
    vki.vkGetPhysicalDeviceProperties(physical, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_3)
        throw std::runtime_error(std::string(properties.deviceName) + " has no Vulkan 1.3");
}

bool Gpu::layerIsPresent() const {
    const auto tools = vulkan::toolsOf(physical, vki.vkGetPhysicalDeviceToolProperties);
    return std::any_of(tools.begin(), tools.end(), [](const std::string& tool) {
        return tool.find("coopvk") != std::string::npos;
    });
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

    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    poolInfo.queueFamilyIndex = queueFamily;
    COOPVK_CHECK(vk.vkCreateCommandPool(device, &poolInfo, nullptr, &pool_));
    VkCommandBufferAllocateInfo buffers{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    buffers.commandPool = pool_;
    buffers.commandBufferCount = 1;
    COOPVK_CHECK(vk.vkAllocateCommandBuffers(device, &buffers, &commands_));
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    COOPVK_CHECK(vk.vkCreateFence(device, &fence, nullptr, &fence_));
}

void Gpu::beginCommands() {
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    COOPVK_CHECK(vk.vkBeginCommandBuffer(commands_, &begin));
}

void Gpu::endCommands() {
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vk.vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                            VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
    COOPVK_CHECK(vk.vkEndCommandBuffer(commands_));
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands_;
    COOPVK_CHECK(vk.vkQueueSubmit(queue, 1, &info, fence_));
    const VkResult waited = vk.vkWaitForFences(device, 1, &fence_, VK_TRUE, kTimeoutNanoseconds);
    vulkan::check(waited == VK_TIMEOUT ? VK_ERROR_DEVICE_LOST : waited, "vkWaitForFences");
    COOPVK_CHECK(vk.vkResetFences(device, 1, &fence_));
}

std::string Gpu::name() const {
    return std::string(properties.deviceName) + ", " + driver.driverName + " " + driver.driverInfo;
}

uint32_t Gpu::memoryType(uint32_t permitted, VkMemoryPropertyFlags wanted) const {
    return vulkan::memoryType(physical, vki.vkGetPhysicalDeviceMemoryProperties, permitted, wanted);
}

}  // namespace coopvk::compare
