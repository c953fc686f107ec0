// SPDX-License-Identifier: Apache-2.0
#include "check/command/vulkan_device.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "bindings.hpp"
#include "chain/vulkan_newer.hpp"
#include "check/command/device_memory.hpp"

namespace coopvk::tool {
namespace {

// After that the driver is assumed to hang: the same as for comparisons of cases.
constexpr uint64_t kTimeout = 600ull * 1000 * 1000 * 1000;

// Structures of features: a head, then booleans.
struct FeatureRow {
    const char* extension;  // null: of the core
    VkStructureType type;
    size_t size;
};
#define COOPVK_FEATURES(extension, type, structure) \
    {extension, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, sizeof(VkPhysicalDevice##structure)}
constexpr FeatureRow kFeatures[] = {
    COOPVK_FEATURES(nullptr, VULKAN_1_1_FEATURES, Vulkan11Features),
    COOPVK_FEATURES(nullptr, VULKAN_1_2_FEATURES, Vulkan12Features),
    COOPVK_FEATURES(nullptr, VULKAN_1_3_FEATURES, Vulkan13Features),
    COOPVK_FEATURES("VK_KHR_cooperative_matrix", COOPERATIVE_MATRIX_FEATURES_KHR,
                    CooperativeMatrixFeaturesKHR),
    COOPVK_FEATURES("VK_NV_cooperative_matrix", COOPERATIVE_MATRIX_FEATURES_NV,
                    CooperativeMatrixFeaturesNV),
    COOPVK_FEATURES("VK_NV_cooperative_matrix2", COOPERATIVE_MATRIX_2_FEATURES_NV,
                    CooperativeMatrix2FeaturesNV),
    COOPVK_FEATURES("VK_NV_cooperative_vector", COOPERATIVE_VECTOR_FEATURES_NV,
                    CooperativeVectorFeaturesNV),
    COOPVK_FEATURES("VK_KHR_shader_bfloat16", SHADER_BFLOAT16_FEATURES_KHR,
                    ShaderBfloat16FeaturesKHR),
    COOPVK_FEATURES("VK_EXT_shader_float8", SHADER_FLOAT8_FEATURES_EXT, ShaderFloat8FeaturesEXT),
    COOPVK_FEATURES("VK_EXT_shader_replicated_composites",
                    SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
                    ShaderReplicatedCompositesFeaturesEXT),
    COOPVK_FEATURES("VK_EXT_shader_atomic_float", SHADER_ATOMIC_FLOAT_FEATURES_EXT,
                    ShaderAtomicFloatFeaturesEXT),
    COOPVK_FEATURES("VK_EXT_shader_atomic_float2", SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
                    ShaderAtomicFloat2FeaturesEXT),
    COOPVK_FEATURES("VK_KHR_workgroup_memory_explicit_layout",
                    WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
                    WorkgroupMemoryExplicitLayoutFeaturesKHR),
    COOPVK_FEATURES("VK_KHR_shader_subgroup_rotate", SHADER_SUBGROUP_ROTATE_FEATURES_KHR,
                    ShaderSubgroupRotateFeaturesKHR),
    COOPVK_FEATURES("VK_KHR_shader_float_controls2", SHADER_FLOAT_CONTROLS_2_FEATURES_KHR,
                    ShaderFloatControls2FeaturesKHR),
    COOPVK_FEATURES("VK_KHR_shader_expect_assume", SHADER_EXPECT_ASSUME_FEATURES_KHR,
                    ShaderExpectAssumeFeaturesKHR),
    COOPVK_FEATURES("VK_KHR_shader_maximal_reconvergence",
                    SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR,
                    ShaderMaximalReconvergenceFeaturesKHR),
    COOPVK_FEATURES("VK_KHR_shader_clock", SHADER_CLOCK_FEATURES_KHR, ShaderClockFeaturesKHR),
#ifdef VK_KHR_shader_untyped_pointers
    COOPVK_FEATURES("VK_KHR_shader_untyped_pointers", SHADER_UNTYPED_POINTERS_FEATURES_KHR,
                    ShaderUntypedPointersFeaturesKHR),
#endif
#ifdef VK_EXT_shader_long_vector
    COOPVK_FEATURES("VK_EXT_shader_long_vector", SHADER_LONG_VECTOR_FEATURES_EXT,
                    ShaderLongVectorFeaturesEXT),
#endif
};
#undef COOPVK_FEATURES

// The features of the core and of the extensions that the device lists.
class Features {
 public:
    explicit Features(const std::vector<std::string>& listed) {
        vulkan::Chain chain(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &core_);
        for (const FeatureRow& row : kFeatures) {
            if (row.extension != nullptr && !vulkan::contains(listed, row.extension)) continue;
            if (row.extension != nullptr) extensions_.push_back(row.extension);
            chain.add(row.type, structures_.emplace_back(new std::byte[row.size]()).get());
        }
    }
    VkPhysicalDeviceFeatures2* chain() { return &core_; }
    const std::vector<const char*>& extensions() const { return extensions_; }
    template <typename T>
    T of(VkStructureType type) const {
        T found{};
        for (const auto& structure : structures_) {
            VkBaseOutStructure head;
            std::memcpy(&head, structure.get(), sizeof(head));
            if (head.sType == type) std::memcpy(&found, structure.get(), sizeof(T));
        }
        return found;
    }

 private:
    VkPhysicalDeviceFeatures2 core_{};
    std::vector<std::unique_ptr<std::byte[]>> structures_;
    std::vector<const char*> extensions_;
};

VkSpecializationInfo specializationOf(std::span<const check::SpecializationValue> values,
                                      std::vector<VkSpecializationMapEntry>& entries,
                                      std::vector<uint64_t>& data) {
    for (const check::SpecializationValue& value : values) {
        entries.push_back(
            {value.constantId, static_cast<uint32_t>(data.size() * sizeof(uint64_t)), value.size});
        data.push_back(value.bits);
    }
    return {static_cast<uint32_t>(entries.size()), entries.data(), data.size() * sizeof(uint64_t),
            data.data()};
}

}  // namespace

VulkanDevice::VulkanDevice(uint32_t index) {
    instance_ = vulkan::createInstance("coopvk check", VK_API_VERSION_1_3);
    volkLoadInstanceTable(&vki_, instance_);
    physical_ = vulkan::physicalDevice(instance_, vki_.vkEnumeratePhysicalDevices, index);
    query();
    createDevice();
}

VulkanDevice::~VulkanDevice() {
    vk_.vkDestroyDevice(device_, nullptr);
    vki_.vkDestroyInstance(instance_, nullptr);
}

void VulkanDevice::query() {
    VkPhysicalDeviceProperties2 all{};
    vulkan::Chain chain(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &all);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, &driver_);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &properties11_);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES, &properties13_);
    vki_.vkGetPhysicalDeviceProperties2(physical_, &all);
    properties_ = all.properties;
    if (properties_.apiVersion < VK_API_VERSION_1_3)
        throw std::runtime_error("the device has no Vulkan 1.3");
}

void VulkanDevice::createDevice() {
    family_ = vulkan::computeFamily(physical_, vki_.vkGetPhysicalDeviceQueueFamilyProperties).index;
    Features features(vulkan::extensionsOf(physical_, vki_.vkEnumerateDeviceExtensionProperties));
    vki_.vkGetPhysicalDeviceFeatures2(physical_, features.chain());
    features13_ = features.of<VkPhysicalDeviceVulkan13Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    hasAddresses_ = features
                        .of<VkPhysicalDeviceVulkan12Features>(
                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
                        .bufferDeviceAddress;
    device_ = vulkan::createDevice(physical_, vki_.vkCreateDevice, family_, features.extensions(),
                                   features.chain());
    volkLoadDeviceTable(&vk_, device_);
    vk_.vkGetDeviceQueue(device_, family_, 0, &queue_);
}

std::string VulkanDevice::name() const {
    return std::string(properties_.deviceName) + ", " + driver_.driverName + " " +
           driver_.driverInfo;
}

std::vector<uint32_t> VulkanDevice::subgroupSizes() const {
    const bool chooses = features13_.subgroupSizeControl &&
                         (properties13_.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
    if (!chooses) return {properties11_.subgroupSize};
    std::vector<uint32_t> sizes;
    for (uint32_t size = properties13_.minSubgroupSize; size <= properties13_.maxSubgroupSize;
         size *= 2)
        if (reference::isSubgroupSize(size)) sizes.push_back(size);
    return sizes;
}

VkPipeline VulkanDevice::createPipeline(const check::DeviceRequest& request,
                                        VkPipelineLayout layout) {
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<uint64_t> data;
    const VkSpecializationInfo specialization =
        specializationOf(request.specialization, entries, data);
    const bool chooses = features13_.subgroupSizeControl &&
                         (properties13_.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr,
        request.lanes};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
    info.layout = layout;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.pNext = chooses ? &required : nullptr;
    if (features13_.computeFullSubgroups)
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = request.entryPoint.c_str();
    info.stage.pSpecializationInfo = &specialization;
    info.stage.module =
        vulkan::createShaderModule(device_, vk_, request.words.data(), request.words.size());
    return vulkan::createComputePipeline(device_, vk_, info);
}

check::Execution VulkanDevice::run(const check::DeviceRequest& request) {
    if (request.memory.pushConstants.size() > properties_.limits.maxPushConstantsSize)
        throw std::runtime_error("the device has not so many push constants");
    const vulkan::DeviceRef ref{physical_, vki_.vkGetPhysicalDeviceMemoryProperties, device_, vk_};
    DeviceMemory memory(ref, hasAddresses_, request.module, request.memory);
    const VkPipeline pipeline = createPipeline(request, memory.layout());
    vulkan::Commands commands(device_, vk_, queue_, family_);
    const auto& push = memory.pushConstants();
    const auto& [x, y, z] = request.groups;
    const auto base = request.memory.given != nullptr ? request.memory.given->base
                                                      : std::array<uint32_t, 3>{0, 0, 0};
    try {
        commands.run(
            [&](VkCommandBuffer to) {
                vk_.vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
                memory.bind(to);
                if (!push.empty())
                    vk_.vkCmdPushConstants(to, memory.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                           static_cast<uint32_t>(push.size()), push.data());
                vk_.vkCmdDispatchBase(to, base[0], base[1], base[2], x, y, z);
            },
            kTimeout);
    } catch (...) {
        vk_.vkDestroyPipeline(device_, pipeline, nullptr);
        throw;
    }
    vk_.vkDestroyPipeline(device_, pipeline, nullptr);
    return {.contents = memory.contents()};
}

check::Execution VulkanDevice::execute(const check::DeviceRequest& request) {
    try {
        return run(request);
    } catch (const std::runtime_error& error) {
        return {.error = error.what()};
    }
}

}  // namespace coopvk::tool
