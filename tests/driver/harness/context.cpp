// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "extensions.hpp"
#include "least_features.hpp"

namespace coopvk::test {
namespace {

std::unique_ptr<Context>& holder() {
    static std::unique_ptr<Context> context;
    return context;
}

VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data,
                                         void* user) {
    std::string text = data->pMessageIdName ? data->pMessageIdName : "";
    // The loader warns about every layer that the environment adds, as in runs with validation.
    if (text == "Loader Message" && data->pMessage &&
        std::string_view(data->pMessage).starts_with("env var 'VK_INSTANCE_LAYERS'"))
        return VK_FALSE;
    // The validation layer tells that its own buffer is one of the device's bindings.
    if (text == "WARNING-Setting-Limit-Adjusted") return VK_FALSE;
    static_cast<Context*>(user)->addMessage(text + ": " + (data->pMessage ? data->pMessage : ""));
    return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messengerInfo(Context* context) {
    VkDebugUtilsMessengerCreateInfoEXT info{
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    info.pfnUserCallback = onMessage;
    info.pUserData = context;
    return info;
}

bool hasDebugUtils() {
    const auto query = [](uint32_t* count, VkExtensionProperties* out) {
        return vkEnumerateInstanceExtensionProperties(nullptr, count, out);
    };
    const auto all =
        vulkan::listAll("vkEnumerateInstanceExtensionProperties", VkExtensionProperties{}, query);
    return std::any_of(all.begin(), all.end(), [](const VkExtensionProperties& extension) {
        return std::string_view(extension.extensionName) == VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    });
}

}  // namespace

Context& Context::get() {
    if (!holder()) holder().reset(new Context);
    return *holder();
}

void Context::shutDown() { holder().reset(); }

Context::Context() {
    createInstance();
    choosePhysicalDevice();
    queryProperties();
    queryFeatures();
    enabled = features;
    if (wantsLeastFeatures()) {
        prepareFor({}, false);
    } else {
        createDevice(kWanted, &features.core);
    }
}

Context::~Context() {
    destroyDevice();
    if (messenger_) vkDestroyDebugUtilsMessengerEXT(instance, messenger_, nullptr);
    if (instance) vkDestroyInstance(instance, nullptr);
}

void Context::createInstance() {
    COOPVK_CHECK(volkInitialize());
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    const char* debugUtils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkDebugUtilsMessengerCreateInfoEXT messages = messengerInfo(this);
    const bool debug = hasDebugUtils();
    if (debug) {
        info.pNext = &messages;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &debugUtils;
    }
    instance = vulkan::createInstance("coopvk driver tests", VK_API_VERSION_1_4, info);
    volkLoadInstanceOnly(instance);
    if (debug)
        COOPVK_CHECK(vkCreateDebugUtilsMessengerEXT(instance, &messages, nullptr, &messenger_));
}

void Context::choosePhysicalDevice() {
    physical = vulkan::physicalDevice(instance, vkEnumeratePhysicalDevices, 0);
    const auto family = vulkan::computeFamily(physical, vkGetPhysicalDeviceQueueFamilyProperties);
    queueFamily = family.index;
    queueFlags = family.properties.queueFlags;
}

void Context::queryProperties() {
    VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    properties13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
    properties12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    v11.pNext = &properties12;
    properties12.pNext = &properties13;
    VkPhysicalDeviceProperties2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &v11};
    vkGetPhysicalDeviceProperties2(physical, &core);
    properties = core.properties;
    subgroupSize = v11.subgroupSize;

    extensions = vulkan::extensionsOf(physical, vkEnumerateDeviceExtensionProperties);
    tools = vulkan::toolsOf(physical, vkGetPhysicalDeviceToolProperties);
    for (const std::string& tool : tools) {
        emulated |= tool.find("coopvk") != std::string::npos;
        validated |= tool.find("Validation") != std::string::npos;
    }
    if (has(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME)) {
        nvShapes = vulkan::listAll<VkCooperativeMatrixPropertiesNV>(
            "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV",
            {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV}, [&](uint32_t* count, auto* out) {
                return vkGetPhysicalDeviceCooperativeMatrixPropertiesNV(physical, count, out);
            });
    }
    if (!has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) return;
    shapes = vulkan::listAll<VkCooperativeMatrixPropertiesKHR>(
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
        {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR}, [&](uint32_t* count, auto* out) {
            return vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, count, out);
        });
}

void Context::queryFeatures() {
    vulkan::Chain chain = vulkan::chainFeatures<Features>(features, kWanted, extensions);
    if (properties.apiVersion >= VK_API_VERSION_1_4) {
        chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES, &features.v14);
    }
    vkGetPhysicalDeviceFeatures2(physical, &features.core);
    // Bounds checks in every access would only slow the tests down.
    features.core.features.robustBufferAccess = VK_FALSE;
    // It needs an extension that no test needs.
    features.meshShader.primitiveFragmentShadingRateMeshShader = VK_FALSE;
}

void Context::createDevice(Wanted wanted, const void* chain) {
    device = vulkan::createDevice(physical, vkCreateDevice, queueFamily,
                                  vulkan::namesOf<Features>(wanted, extensions), chain);
    volkLoadDevice(device);
    volkLoadDeviceTable(&vk, device);
    vkGetDeviceQueue(device, queueFamily, 0, &queue);
}

void Context::destroyDevice() {
    if (device) vkDestroyDevice(device, nullptr);
    device = VK_NULL_HANDLE;
}

void Context::prepareFor(const Words& words, bool controlsSubgroups) {
    if (!wantsLeastFeatures()) return;
    destroyDevice();
    Least least = leastFeatures(words, features);
    enabled = least.features;
    if (controlsSubgroups) {
        enabled.v13.subgroupSizeControl = enabled.v13.computeFullSubgroups = VK_TRUE;
    }
    std::vector<vulkan::Extension<Features>> wanted;
    std::ranges::copy_if(kWanted, std::back_inserter(wanted), [&](const auto& extension) {
        return least.extensions.contains(extension.name);
    });
    vulkan::chainFeatures<Features>(enabled, wanted, extensions);
    createDevice(wanted, &enabled.core);
}

bool Context::has(std::string_view extension) const {
    return vulkan::contains(extensions, extension);
}

bool Context::supports(Component type) const {
    switch (type) {
        case Component::kF16:
            return features.v12.shaderFloat16 && features.v11.storageBuffer16BitAccess;
        case Component::kF64:
            return features.core.features.shaderFloat64;
        case Component::kBF16:
            return features.bfloat16.shaderBFloat16CooperativeMatrix &&
                   features.v11.storageBuffer16BitAccess;
        case Component::kS8:
        case Component::kU8:
            return features.v12.shaderInt8 && features.v12.storageBuffer8BitAccess;
        case Component::kS16:
        case Component::kU16:
            return features.core.features.shaderInt16 && features.v11.storageBuffer16BitAccess;
        case Component::kS64:
        case Component::kU64:
            return features.core.features.shaderInt64;
        default:  // f32, s32, u32, and 8-bit floats
            return info(type).hasArithmetic() || (features.float8.shaderFloat8CooperativeMatrix &&
                                                  features.v12.storageBuffer8BitAccess);
    }
}

std::vector<std::string> Context::takeMessages() {
    std::lock_guard lock(messagesMutex_);
    return std::exchange(messages_, {});
}

void Context::addMessage(std::string text) {
    std::lock_guard lock(messagesMutex_);
    messages_.push_back(std::move(text));
}

}  // namespace coopvk::test
