// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace coopvk::demo {
namespace {

constexpr uint32_t kPushBytes = 64;

bool hasVectors(VkPhysicalDevice device) {
    uint32_t count = 0;
    DEMO_CHECK(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr));
    std::vector<VkExtensionProperties> list(count);
    DEMO_CHECK(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, list.data()));
    if (std::ranges::none_of(list, [](const VkExtensionProperties& extension) {
            return std::string_view(extension.extensionName) ==
                   VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME;
        })) {
        return false;
    }
    VkPhysicalDeviceCooperativeVectorFeaturesNV vectors{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &vectors};
    vkGetPhysicalDeviceFeatures2(device, &features);
    return vectors.cooperativeVector && vectors.cooperativeVectorTraining;
}

bool hasTool(VkPhysicalDevice device, std::string_view name) {
    uint32_t count = 0;
    DEMO_CHECK(vkGetPhysicalDeviceToolProperties(device, &count, nullptr));
    std::vector<VkPhysicalDeviceToolProperties> tools(
        count, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES});
    DEMO_CHECK(vkGetPhysicalDeviceToolProperties(device, &count, tools.data()));
    return std::ranges::any_of(
        tools, [&](const VkPhysicalDeviceToolProperties& tool) { return name == tool.name; });
}

uint32_t computeFamily(VkPhysicalDevice device) {
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    for (uint32_t i = 0; i < count; ++i) {
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) return i;
    }
    throw std::runtime_error("the device has no compute queue");
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
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    const char* extension = VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &v13};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    VkDevice device = VK_NULL_HANDLE;
    DEMO_CHECK(vkCreateDevice(physical, &info, nullptr, &device));
    return device;
}

uint32_t memoryType(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed) {
    constexpr VkMemoryPropertyFlags kWanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        if ((allowed >> i & 1u) && (memory.memoryTypes[i].propertyFlags & kWanted) == kWanted) {
            return i;
        }
    }
    throw std::runtime_error("the device has no host-visible memory");
}

}  // namespace

void check(VkResult result, const char* what) {
    if (result == VK_SUCCESS) return;
    throw std::runtime_error(std::string(what) + " gave " + std::to_string(result));
}

Gpu::Gpu() {
    DEMO_CHECK(volkInitialize());
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = "coopvk demo";
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    DEMO_CHECK(vkCreateInstance(&info, nullptr, &instance_));
    volkLoadInstance(instance_);
    choose();
    family_ = computeFamily(physical_);
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
    device = makeDevice(physical_, family_);
    volkLoadDevice(device);
    vkGetDeviceQueue(device, family_, 0, &queue_);
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = family_;
    DEMO_CHECK(vkCreateCommandPool(device, &pool, nullptr, &pool_));
    VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocation.commandPool = pool_;
    allocation.commandBufferCount = 1;
    DEMO_CHECK(vkAllocateCommandBuffers(device, &allocation, &commands_));
}

Gpu::~Gpu() {
    if (device != VK_NULL_HANDLE) {
        vkDestroyCommandPool(device, pool_, nullptr);
        vkDestroyDevice(device, nullptr);
    }
    if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

void Gpu::choose() {
    uint32_t count = 0;
    DEMO_CHECK(vkEnumeratePhysicalDevices(instance_, &count, nullptr));
    std::vector<VkPhysicalDevice> list(count);
    DEMO_CHECK(vkEnumeratePhysicalDevices(instance_, &count, list.data()));
    for (VkPhysicalDevice candidate : list) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(candidate, &properties);
        name = properties.deviceName;
        if (!hasVectors(candidate)) continue;
        physical_ = candidate;
        emulated = hasTool(candidate, "coopvk");
        return;
    }
    vkDestroyInstance(instance_, nullptr);
    if (list.empty()) throw std::runtime_error("there is no Vulkan device");
    throw std::runtime_error(name + " has no VK_NV_cooperative_vector");
}

void Gpu::run(const std::function<void(VkCommandBuffer)>& record) {
    DEMO_CHECK(vkResetCommandPool(device, pool_, 0));
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    DEMO_CHECK(vkBeginCommandBuffer(commands_, &begin));
    record(commands_);
    barrier(commands_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_2_HOST_BIT);
    DEMO_CHECK(vkEndCommandBuffer(commands_));
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands_;
    DEMO_CHECK(vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE));
    DEMO_CHECK(vkQueueWaitIdle(queue_));
}

Buffer::Buffer(Gpu& gpu, size_t bytes) : gpu_(gpu), bytes_(bytes) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    DEMO_CHECK(vkCreateBuffer(gpu.device, &info, nullptr, &buffer_));
    VkMemoryRequirements needed;
    vkGetBufferMemoryRequirements(gpu.device, buffer_, &needed);
    const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                          VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags,
                                          needed.size,
                                          memoryType(gpu.memory, needed.memoryTypeBits)};
    DEMO_CHECK(vkAllocateMemory(gpu.device, &allocation, nullptr, &memory_));
    DEMO_CHECK(vkBindBufferMemory(gpu.device, buffer_, memory_, 0));
    DEMO_CHECK(vkMapMemory(gpu.device, memory_, 0, VK_WHOLE_SIZE, 0, &map_));
    std::memset(map_, 0, bytes);
    VkBufferDeviceAddressInfo addressInfo{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    addressInfo.buffer = buffer_;
    address_ = vkGetBufferDeviceAddress(gpu.device, &addressInfo);
}

Buffer::~Buffer() {
    vkDestroyBuffer(gpu_.device, buffer_, nullptr);
    vkFreeMemory(gpu_.device, memory_, nullptr);
}

Kernel::Kernel(Gpu& gpu, std::span<const uint32_t> words, const std::vector<const Buffer*>& buffers,
               const std::vector<uint32_t>& constants)
    : gpu_(gpu) {
    describe(buffers);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.setLayoutCount = 1;
    layoutInfo.pSetLayouts = &setLayout_;
    layoutInfo.pushConstantRangeCount = 1;
    layoutInfo.pPushConstantRanges = &range;
    DEMO_CHECK(vkCreatePipelineLayout(gpu.device, &layoutInfo, nullptr, &layout_));
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = words.size_bytes();
    moduleInfo.pCode = words.data();
    std::vector<VkSpecializationMapEntry> entries;
    for (uint32_t i = 0; i < constants.size(); ++i) entries.push_back({i, i * 4, 4});
    const VkSpecializationInfo special{static_cast<uint32_t>(entries.size()), entries.data(),
                                       constants.size() * 4, constants.data()};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.layout = layout_;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &special;
    DEMO_CHECK(vkCreateShaderModule(gpu.device, &moduleInfo, nullptr, &info.stage.module));
    DEMO_CHECK(vkCreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_));
    vkDestroyShaderModule(gpu.device, info.stage.module, nullptr);
}

void Kernel::describe(const std::vector<const Buffer*>& buffers) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (uint32_t i = 0; i < buffers.size(); ++i) {
        bindings.push_back(
            {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    }
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = static_cast<uint32_t>(bindings.size());
    setInfo.pBindings = bindings.data();
    DEMO_CHECK(vkCreateDescriptorSetLayout(gpu_.device, &setInfo, nullptr, &setLayout_));
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, setInfo.bindingCount};
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = 1;
    poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    DEMO_CHECK(vkCreateDescriptorPool(gpu_.device, &poolInfo, nullptr, &pool_));
    VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocation.descriptorPool = pool_;
    allocation.descriptorSetCount = 1;
    allocation.pSetLayouts = &setLayout_;
    DEMO_CHECK(vkAllocateDescriptorSets(gpu_.device, &allocation, &set_));
    for (uint32_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i] == nullptr) continue;
        const VkDescriptorBufferInfo buffer{buffers[i]->handle(), 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = set_;
        write.dstBinding = i;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &buffer;
        vkUpdateDescriptorSets(gpu_.device, 1, &write, 0, nullptr);
    }
}

Kernel::~Kernel() {
    vkDestroyPipeline(gpu_.device, pipeline_, nullptr);
    vkDestroyPipelineLayout(gpu_.device, layout_, nullptr);
    vkDestroyDescriptorPool(gpu_.device, pool_, nullptr);
    vkDestroyDescriptorSetLayout(gpu_.device, setLayout_, nullptr);
}

void Kernel::record(VkCommandBuffer commands, uint32_t groups, const void* push,
                    uint32_t size) const {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0,
                            nullptr);
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, push);
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
