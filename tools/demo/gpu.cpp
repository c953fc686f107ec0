// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace coopvk::demo {
namespace {

constexpr uint32_t kPushBytes = 64;

bool hasVectors(VkPhysicalDevice device) {
    if (!vulkan::contains(vulkan::extensionsOf(device, vkEnumerateDeviceExtensionProperties),
                          VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME)) {
        return false;
    }
    VkPhysicalDeviceCooperativeVectorFeaturesNV vectors{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &vectors};
    vkGetPhysicalDeviceFeatures2(device, &features);
    return vectors.cooperativeVector && vectors.cooperativeVectorTraining;
}

VkDevice makeDevice(VkPhysicalDevice physical, uint32_t family) {
    VkPhysicalDeviceCooperativeVectorFeaturesNV vectors{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV};
    vectors.cooperativeVector = VK_TRUE;
    vectors.cooperativeVectorTraining = VK_TRUE;
    VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                         &vectors};
    v11.storageBuffer16BitAccess = VK_TRUE;
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                         &v11};
    v12.shaderFloat16 = VK_TRUE;
    v12.scalarBlockLayout = VK_TRUE;
    v12.vulkanMemoryModel = VK_TRUE;
    v12.vulkanMemoryModelDeviceScope = VK_TRUE;
    v12.bufferDeviceAddress = VK_TRUE;
    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                         &v12};
    v13.synchronization2 = VK_TRUE;
    v13.maintenance4 = VK_TRUE;
    std::vector<const char*> extensions = {VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME};
    // glslang writes replicated composites where it makes vectors of one value.
    VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT replicated{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT, &v13};
    replicated.shaderReplicatedComposites = VK_TRUE;
    const void* features = &v13;
    if (vulkan::contains(vulkan::extensionsOf(physical, vkEnumerateDeviceExtensionProperties),
                         VK_EXT_SHADER_REPLICATED_COMPOSITES_EXTENSION_NAME)) {
        extensions.push_back(VK_EXT_SHADER_REPLICATED_COMPOSITES_EXTENSION_NAME);
        features = &replicated;
    }
    return vulkan::createDevice(physical, vkCreateDevice, family, extensions, features);
}

}  // namespace

Gpu::Gpu() {
    instance_ = vulkan::createInstance("coopvk demo", VK_API_VERSION_1_3);
    volkLoadInstance(instance_);
    choose();
    const uint32_t family =
        vulkan::computeFamily(physical_, vkGetPhysicalDeviceQueueFamilyProperties).index;
    device = makeDevice(physical_, family);
    volkLoadDevice(device);
    volkLoadDeviceTable(&vk, device);
    VkQueue queue = VK_NULL_HANDLE;
    vkGetDeviceQueue(device, family, 0, &queue);
    commands_.emplace(device, vk, queue, family);
}

Gpu::~Gpu() {
    commands_.reset();
    if (device != VK_NULL_HANDLE) vkDestroyDevice(device, nullptr);
    if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

void Gpu::choose() {
    const auto query = [&](uint32_t* count, VkPhysicalDevice* out) {
        return vkEnumeratePhysicalDevices(instance_, count, out);
    };
    const auto list = vulkan::listAll("vkEnumeratePhysicalDevices", VkPhysicalDevice{}, query);
    for (VkPhysicalDevice candidate : list) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(candidate, &properties);
        name = properties.deviceName;
        if (!hasVectors(candidate)) continue;
        physical_ = candidate;
        emulated = vulkan::contains(vulkan::toolsOf(candidate, vkGetPhysicalDeviceToolProperties),
                                    "coopvk");
        return;
    }
    vkDestroyInstance(instance_, nullptr);
    if (list.empty()) throw std::runtime_error("there is no Vulkan device");
    throw std::runtime_error(name + " has no VK_NV_cooperative_vector");
}

void Gpu::run(const std::function<void(VkCommandBuffer)>& record) { commands_->run(record); }

Buffer::Buffer(Gpu& gpu, size_t bytes)
    : bytes_(bytes),
      buffer_(gpu.ref(), bytes,
              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) {
    std::memset(buffer_.map, 0, bytes);
}

Kernel::Kernel(Gpu& gpu, std::span<const uint32_t> words, const std::vector<const Buffer*>& buffers,
               const std::vector<uint32_t>& constants)
    : gpu_(gpu),
      layout_(gpu.device, gpu.vk, static_cast<uint32_t>(buffers.size()), kPushBytes),
      bindings_(gpu.device, gpu.vk, layout_) {
    for (uint32_t i = 0; i < buffers.size(); ++i)
        if (buffers[i] != nullptr) bindings_.bind(i, {buffers[i]->handle(), 0, VK_WHOLE_SIZE});
    std::vector<VkSpecializationMapEntry> entries;
    for (uint32_t i = 0; i < constants.size(); ++i) entries.push_back({i, i * 4, 4});
    const VkSpecializationInfo special{static_cast<uint32_t>(entries.size()), entries.data(),
                                       constants.size() * 4, constants.data()};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.layout = layout_.pipeline;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = vulkan::createShaderModule(gpu.device, gpu.vk, words.data(), words.size());
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &special;
    pipeline_ = vulkan::createComputePipeline(gpu.device, gpu.vk, info);
}

Kernel::~Kernel() { vkDestroyPipeline(gpu_.device, pipeline_, nullptr); }

void Kernel::record(VkCommandBuffer commands, uint32_t groups, const void* push,
                    uint32_t size) const {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.pipeline, 0, 1,
                            &bindings_.set, 0, nullptr);
    vkCmdPushConstants(commands, layout_.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, push);
    vkCmdDispatch(commands, groups, 1, 1);
}

void barrier(VkCommandBuffer commands, VkPipelineStageFlags2 from, VkPipelineStageFlags2 to) {
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = from;
    memory.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
    memory.dstStageMask = to;
    memory.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    vkCmdPipelineBarrier2(commands, &info);
}

}  // namespace coopvk::demo
