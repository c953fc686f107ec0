// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <algorithm>

namespace coopvk::fleet {
namespace {

constexpr vulkan::Extension<Features> kWanted[] = {
    {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
     [](Features& f) -> void* { return &f.executables; }},
    {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
     [](Features& f) -> void* { return &f.cooperativeMatrix; }},
    {VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV,
     [](Features& f) -> void* { return &f.nvCooperativeMatrix; }},
    {VK_QCOM_COOPERATIVE_MATRIX_CONVERSION_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_CONVERSION_FEATURES_QCOM,
     [](Features& f) -> void* { return &f.qcomConversion; }},
    {VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
     [](Features& f) -> void* { return &f.cooperativeVector; }},
    {VK_EXT_SHADER_REPLICATED_COMPOSITES_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
     [](Features& f) -> void* { return &f.replicatedComposites; }},
    {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
     [](Features& f) -> void* { return &f.atomicFloat; }},
    {VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
     [](Features& f) -> void* { return &f.bfloat16; }},
    {VK_EXT_SHADER_FLOAT8_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT,
     [](Features& f) -> void* { return &f.float8; }},
    {VK_EXT_SHADER_LONG_VECTOR_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_FEATURES_EXT,
     [](Features& f) -> void* { return &f.longVector; }},
    {VK_EXT_SHADER_OCP_MICROSCALING_TYPES_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT,
     [](Features& f) -> void* { return &f.microscaling; }},
    {VK_VALVE_SHADER_MIXED_FLOAT_DOT_PRODUCT_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MIXED_FLOAT_DOT_PRODUCT_FEATURES_VALVE,
     [](Features& f) -> void* { return &f.mixedDots; }},
    {VK_COOPVK_SHADER_INT4_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK,
     [](Features& f) -> void* { return &f.int4; }},
    {VK_COOPVK_SHADER_2D_BLOCK_IO_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK,
     [](Features& f) -> void* { return &f.blockIo; }},
    {VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
     [](Features& f) -> void* { return &f.workgroupLayout; }},
    {VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
     [](Features& f) -> void* { return &f.meshShader; }},
    {VK_EXT_SHADER_OBJECT_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
     [](Features& f) -> void* { return &f.shaderObject; }},
};

}  // namespace

Gpu::Gpu() {
    instance = vulkan::createInstance("coopvk fleet", VK_API_VERSION_1_4);
    volkLoadInstanceTable(&vki, instance);
    physical = vulkan::physicalDevice(instance, vki.vkEnumeratePhysicalDevices, 0);
    queryDevice();
    const uint32_t family =
        vulkan::computeFamily(physical, vki.vkGetPhysicalDeviceQueueFamilyProperties).index;
    device = vulkan::createDevice(physical, vki.vkCreateDevice, family,
                                  vulkan::namesOf<Features>(kWanted, extensions), &features.core);
    volkLoadDeviceTable(&vk, device);
}

Gpu::~Gpu() {
    if (device) vk.vkDestroyDevice(device, nullptr);
    if (instance) vki.vkDestroyInstance(instance, nullptr);
}

void Gpu::queryDevice() {
    properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    properties12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    properties13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
    properties11.pNext = &properties12;
    properties12.pNext = &properties13;
    VkPhysicalDeviceProperties2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties11};
    vki.vkGetPhysicalDeviceProperties2(physical, &core);
    properties = core.properties;

    if (!vulkan::hasTool(physical, vki.vkGetPhysicalDeviceToolProperties, "coopvk"))
        throw std::runtime_error("the loader does not find coopvk's layer");
    extensions = vulkan::extensionsOf(physical, vki.vkEnumerateDeviceExtensionProperties);
    vulkan::chainFeatures<Features>(features, kWanted, extensions);
    vki.vkGetPhysicalDeviceFeatures2(physical, &features.core);
    if (!features.executables.pipelineExecutableInfo)
        throw std::runtime_error("the driver has no VK_KHR_pipeline_executable_properties");
    // Bounds checks would be counted among a shader's own instructions.
    features.core.features.robustBufferAccess = VK_FALSE;
    features.v13.robustImageAccess = VK_FALSE;
    // It needs an extension that no subject needs.
    features.meshShader.primitiveFragmentShadingRateMeshShader = VK_FALSE;
}

bool Gpu::canRequireSize() const {
    return features.v13.subgroupSizeControl &&
           (properties13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           properties13.minSubgroupSize < properties13.maxSubgroupSize;
}

std::vector<uint32_t> Gpu::subgroupSizes() const {
    if (!canRequireSize()) return {properties11.subgroupSize};
    std::vector<uint32_t> sizes;
    for (uint32_t size = properties13.minSubgroupSize; size <= properties13.maxSubgroupSize;
         size *= 2)
        sizes.push_back(size);
    return sizes;
}

}  // namespace coopvk::fleet
