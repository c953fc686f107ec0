// SPDX-License-Identifier: Apache-2.0
#include "check/command/vulkan_device.hpp"

#include <algorithm>
#include <format>
#include <stdexcept>

#include "check/command/capabilities.hpp"
#include "check/command/device_memory.hpp"
#include "extension_structures.hpp"

namespace coopvk::tool {
namespace {

// What shaders use beside coopvk's extensions.
#define COOPVK_FEATURES(extension, type, structure) \
    {extension, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, sizeof(VkPhysicalDevice##structure)}
constexpr vulkan::FeatureStructure kOthers[] = {
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
#ifdef VK_KHR_shader_fma
    COOPVK_FEATURES("VK_KHR_shader_fma", SHADER_FMA_FEATURES_KHR, ShaderFmaFeaturesKHR),
#endif
#ifdef VK_EXT_shader_split_barrier
    COOPVK_FEATURES("VK_EXT_shader_split_barrier", SHADER_SPLIT_BARRIER_FEATURES_EXT,
                    ShaderSplitBarrierFeaturesEXT),
#endif
    COOPVK_FEATURES("VK_KHR_shader_quad_control", SHADER_QUAD_CONTROL_FEATURES_KHR,
                    ShaderQuadControlFeaturesKHR),
    COOPVK_FEATURES("VK_KHR_shader_subgroup_uniform_control_flow",
                    SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
                    ShaderSubgroupUniformControlFlowFeaturesKHR),
    COOPVK_FEATURES("VK_KHR_compute_shader_derivatives", COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR,
                    ComputeShaderDerivativesFeaturesKHR),
};
#undef COOPVK_FEATURES

std::vector<vulkan::FeatureStructure> structures() {
    std::vector<vulkan::FeatureStructure> all(std::begin(kOthers), std::end(kOthers));
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
        if (info.extension != rewrite::Extension::kNvCudaKernelLaunch)
            all.push_back(structureOf(info.extension));
    return all;
}

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
    gpu_.find("coopvk check", index);
    gpu_.create(structures(), true);
}

std::vector<uint32_t> VulkanDevice::subgroupSizes() const {
    if (!gpu_.choosesLanes()) return {gpu_.properties11.subgroupSize};
    std::vector<uint32_t> sizes;
    for (uint32_t size = gpu_.properties13.minSubgroupSize;
         size <= gpu_.properties13.maxSubgroupSize; size *= 2)
        if (reference::isSubgroupSize(size)) sizes.push_back(size);
    return sizes;
}

std::string VulkanDevice::whyNot(const check::DeviceRequest& request) const {
    const VkPhysicalDeviceLimits& limits = gpu_.properties.limits;
    std::string why;
    const auto require = [&](std::string_view what, uint64_t asked, uint64_t most) {
        if (why.empty() && asked > most)
            why = std::format("it has {} {}, and the device at most {}", asked, what, most);
    };
    if (const std::string lacks = whyUnsupported(request.words, gpu_); !lacks.empty())
        return "the device lacks " + lacks;
    for (const check::Buffer& buffer : request.memory.buffers) {
        if (why = whyNot(buffer); !why.empty()) return why;
        if (buffer.use.place != check::Place::kDescriptor) continue;
        require("descriptor sets", buffer.use.set + uint64_t{1}, limits.maxBoundDescriptorSets);
        require("bytes in a buffer", buffer.bytes.size(),
                buffer.use.isUniform ? limits.maxUniformBufferRange : limits.maxStorageBufferRange);
    }
    const auto& [x, y, z] = request.workgroup;
    const uint64_t invocations = uint64_t{x} * y * z;
    require("bytes of push constants", request.memory.pushConstants.size(),
            limits.maxPushConstantsSize);
    require("invocations in a workgroup", invocations, limits.maxComputeWorkGroupInvocations);
    if (gpu_.choosesLanes())
        require("subgroups in a workgroup", (invocations + request.lanes - 1) / request.lanes,
                gpu_.properties13.maxComputeWorkgroupSubgroups);
    for (size_t i = 0; i < 3; ++i) {
        require("invocations in a row of a workgroup", request.workgroup[i],
                limits.maxComputeWorkGroupSize[i]);
        require("workgroups in a row", request.groups[i], limits.maxComputeWorkGroupCount[i]);
    }
    return why;
}

std::string VulkanDevice::whyNot(const check::Buffer& buffer) const {
    const VkPhysicalDeviceLimits& limits = gpu_.properties.limits;
    if (buffer.use.place == check::Place::kHeap)
        return "descriptors of a heap are not given to a device";
    if (buffer.use.place == check::Place::kAddress && !gpu_.features12.bufferDeviceAddress)
        return "the device has no buffer addresses";
    const uint64_t alignment = buffer.use.isUniform ? limits.minUniformBufferOffsetAlignment
                                                    : limits.minStorageBufferOffsetAlignment;
    const uint64_t offset = buffer.range ? buffer.range->offset : 0;
    if (buffer.use.place != check::Place::kDescriptor || offset % alignment == 0) return "";
    return std::format(
        "a descriptor begins at byte {} of a buffer, and the device needs multiples of {}", offset,
        alignment);
}

VkPipeline VulkanDevice::createPipeline(const check::DeviceRequest& request,
                                        VkPipelineLayout layout) {
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<uint64_t> data;
    const VkSpecializationInfo specialization =
        specializationOf(request.specialization, entries, data);
    return gpu_.createPipeline({.words = request.words,
                                .layout = layout,
                                .lanes = request.lanes,
                                .isFull = request.workgroup[0] % request.lanes == 0,
                                .entryPoint = request.entryPoint.c_str(),
                                .specialization = &specialization,
                                .flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT});
}

check::Execution VulkanDevice::run(const check::DeviceRequest& request) {
    DeviceMemory memory(gpu_.ref(), gpu_.features12.bufferDeviceAddress, request.module,
                        request.memory);
    const VkPipeline pipeline = createPipeline(request, memory.layout());
    const VolkDeviceTable& vk = gpu_.vk;
    const auto& push = memory.pushConstants();
    const auto& [x, y, z] = request.groups;
    const auto base = request.memory.given != nullptr ? request.memory.given->base
                                                      : std::array<uint32_t, 3>{0, 0, 0};
    try {
        gpu_.submit([&](VkCommandBuffer to) {
            vk.vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
            memory.bind(to);
            if (!push.empty())
                vk.vkCmdPushConstants(to, memory.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                      static_cast<uint32_t>(push.size()), push.data());
            vk.vkCmdDispatchBase(to, base[0], base[1], base[2], x, y, z);
        });
    } catch (...) {
        vk.vkDestroyPipeline(gpu_.device, pipeline, nullptr);
        throw;
    }
    vk.vkDestroyPipeline(gpu_.device, pipeline, nullptr);
    return {.contents = memory.contents()};
}

uint32_t VulkanDevice::flushedWidths() const {
    const VkPhysicalDeviceVulkan12Properties& has = gpu_.properties12;
    return (has.shaderDenormPreserveFloat16 ? 0 : 16) + (has.shaderDenormPreserveFloat32 ? 0 : 32) +
           (has.shaderDenormPreserveFloat64 ? 0 : 64);
}

check::OnDevice VulkanDevice::execute(const check::DeviceRequest& request) {
    try {
        if (const std::string why = whyNot(request); !why.empty()) return {.whyNot = why};
        return {.execution = run(request), .flushes = flushedWidths()};
    } catch (const vulkan::Error& error) {
        return {.execution = {.error = error.what()}};
    } catch (const std::runtime_error& error) {
        return {.whyNot = error.what()};
    }
}

}  // namespace coopvk::tool
