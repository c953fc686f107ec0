// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include <algorithm>
#include <memory>
#include <utility>

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

// The extensions that the tests use.
constexpr vulkan::Extension<Features> kWanted[] = {
    {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
     [](Features& f) -> void* { return &f.cooperativeMatrix; }},
    {VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV,
     [](Features& f) -> void* { return &f.nvCooperativeMatrix; }},
    {VK_QCOM_COOPERATIVE_MATRIX_CONVERSION_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_CONVERSION_FEATURES_QCOM,
     [](Features& f) -> void* { return &f.qcomConversion; }},
    {VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV,
     [](Features& f) -> void* { return &f.matrix2; }},
    {"VK_EXT_cooperative_matrix_maintenance1",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_MAINTENANCE_1_FEATURES_EXT,
     [](Features& f) -> void* { return &f.matrixMaintenance1; }},
    {"VK_NV_cooperative_matrix_decode_vector",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_DECODE_VECTOR_FEATURES_NV,
     [](Features& f) -> void* { return &f.decodeVector; }},
    {VK_EXT_SHADER_OBJECT_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
     [](Features& f) -> void* { return &f.shaderObject; }},
    {VK_EXT_SHADER_REPLICATED_COMPOSITES_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
     [](Features& f) -> void* { return &f.replicatedComposites; }},
    {VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
     [](Features& f) -> void* { return &f.workgroupLayout; }},
    {VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT,
     [](Features& f) -> void* { return &f.moduleIdentifier; }},
    {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME},
    {VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
     [](Features& f) -> void* { return &f.pipelineLibrary; }},
    {VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME},
    {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
     [](Features& f) -> void* { return &f.accelerationStructure; }},
    {VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
     [](Features& f) -> void* { return &f.rayTracing; }},
    {VK_KHR_PIPELINE_BINARY_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_BINARY_FEATURES_KHR,
     [](Features& f) -> void* { return &f.pipelineBinary; }},
    {VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT,
     [](Features& f) -> void* { return &f.generatedCommands; }},
    {VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
     [](Features& f) -> void* { return &f.cooperativeVector; }},
    {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
     [](Features& f) -> void* { return &f.atomicFloat; }},
    {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
     [](Features& f) -> void* { return &f.conditionalRendering; }},
    {VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
     [](Features& f) -> void* { return &f.meshShader; }},
    {VK_COOPVK_SHADER_INT4_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK,
     [](Features& f) -> void* { return &f.int4; }},
    {VK_COOPVK_SHADER_2D_BLOCK_IO_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK,
     [](Features& f) -> void* { return &f.blockIo; }},
    {VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
     [](Features& f) -> void* { return &f.bfloat16; }},
    {VK_EXT_SHADER_FLOAT8_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT,
     [](Features& f) -> void* { return &f.float8; }},
};

}  // namespace

Context& Context::get() {
    if (!holder()) holder().reset(new Context);
    return *holder();
}

void Context::shutDown() { holder().reset(); }

Context::Context() {
    COOPVK_CHECK(volkInitialize());
    createInstance();
    choosePhysicalDevice();
    queryProperties();
    queryFeatures();
    createDevice();
}

Context::~Context() {
    if (device) vkDestroyDevice(device, nullptr);
    if (messenger_) vkDestroyDebugUtilsMessengerEXT(instance, messenger_, nullptr);
    if (instance) vkDestroyInstance(instance, nullptr);
}

void Context::createInstance() {
    VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    app.pApplicationName = "coopvk driver tests";
    app.apiVersion = VK_API_VERSION_1_4;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &app;
    const char* debugUtils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkDebugUtilsMessengerCreateInfoEXT messages = messengerInfo(this);
    const bool debug = hasDebugUtils();
    if (debug) {
        info.pNext = &messages;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &debugUtils;
    }
    COOPVK_CHECK(vkCreateInstance(&info, nullptr, &instance));
    volkLoadInstanceOnly(instance);
    if (debug)
        COOPVK_CHECK(vkCreateDebugUtilsMessengerEXT(instance, &messages, nullptr, &messenger_));
}

void Context::choosePhysicalDevice() {
    uint32_t count = 1;
    const VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (result != VK_INCOMPLETE) COOPVK_CHECK(result);
    if (count == 0) throw std::runtime_error("no Vulkan device");
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

void Context::createDevice() {
    device = vulkan::createDevice(physical, vkCreateDevice, queueFamily,
                                  vulkan::namesOf<Features>(kWanted, extensions), &features.core);
    volkLoadDevice(device);
    vkGetDeviceQueue(device, queueFamily, 0, &queue);
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
        case Component::kE4M3:
        case Component::kE5M2:
            return features.float8.shaderFloat8CooperativeMatrix &&
                   features.v12.storageBuffer8BitAccess;
        case Component::kS8:
        case Component::kU8:
            return features.v12.shaderInt8 && features.v12.storageBuffer8BitAccess;
        case Component::kS16:
        case Component::kU16:
            return features.core.features.shaderInt16 && features.v11.storageBuffer16BitAccess;
        case Component::kS64:
        case Component::kU64:
            return features.core.features.shaderInt64;
        default:
            return true;
    }
}

uint32_t Context::memoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const {
    return vulkan::memoryType(physical, vkGetPhysicalDeviceMemoryProperties, allowed, wanted);
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
