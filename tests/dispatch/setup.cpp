// SPDX-License-Identifier: Apache-2.0
//
// The device, buffers and layouts.
#include <cstring>

#include "gpu_setup.hpp"
#include "program.hpp"

namespace coopvk::test {
namespace {

struct Features {
    VkPhysicalDeviceFeatures2 core = {};
    VkPhysicalDeviceVulkan11Features v11 = {};
    VkPhysicalDeviceVulkan12Features v12 = {};
    VkPhysicalDeviceVulkan13Features v13 = {};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {};
};

}  // namespace

void Program::makeDevice() {
    instance_ = vulkan::createInstance("coopvk_dispatches", VK_API_VERSION_1_3);
    volkLoadInstance(instance_);
    physical_ = vulkan::physicalDevice(instance_, vkEnumeratePhysicalDevices, 0);
    family_ = vulkan::computeFamily(physical_, vkGetPhysicalDeviceQueueFamilyProperties).index;
    Features features;
    vulkan::Chain chain = vulkan::chainFeatures<Features>(features, {}, {});
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
              &features.matrices);
    vkGetPhysicalDeviceFeatures2(physical_, &features.core);  // enables all of them
    const char* const extensions[] = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
                                      VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
    device_ = vulkan::createDevice(physical_, vkCreateDevice, family_, extensions, &features.core);
    volkLoadDevice(device_);
    vkGetDeviceQueue(device_, family_, 0, &queue_);
    const VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0,
                                          family_};
    COOPVK_CHECK(vkCreateCommandPool(device_, &pool, nullptr, &pool_));
}

Buffer Program::makeBuffer(VkDeviceSize size, VkBufferUsageFlags usage,
                           VkMemoryPropertyFlags memory) {
    Buffer buffer;
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = usage;
    COOPVK_CHECK(vkCreateBuffer(device_, &info, nullptr, &buffer.handle));
    VkMemoryRequirements needed = {};
    vkGetBufferMemoryRequirements(device_, buffer.handle, &needed);
    const bool hasAddress = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
    VkMemoryAllocateFlagsInfo flags = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    if (hasAddress) flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
    constexpr VkDeviceSize kBefore = 4096;  // something else
    allocation.allocationSize = needed.size + kBefore;
    allocation.memoryTypeIndex = vulkan::memoryType(physical_, vkGetPhysicalDeviceMemoryProperties,
                                                    needed.memoryTypeBits, memory);
    COOPVK_CHECK(vkAllocateMemory(device_, &allocation, nullptr, &buffer.memory));
    COOPVK_CHECK(vkBindBufferMemory(device_, buffer.handle, buffer.memory, kBefore));
    VkPhysicalDeviceMemoryProperties types = {};
    vkGetPhysicalDeviceMemoryProperties(physical_, &types);
    const auto properties = types.memoryTypes[allocation.memoryTypeIndex].propertyFlags;
    if ((properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
        void* mapped = nullptr;
        COOPVK_CHECK(vkMapMemory(device_, buffer.memory, kBefore, size, 0, &mapped));
        buffer.mapped = static_cast<std::byte*>(mapped);
    }
    VkBufferDeviceAddressInfo of = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    of.buffer = buffer.handle;
    if (hasAddress) buffer.address = vkGetBufferDeviceAddress(device_, &of);
    buffers_.push_back(buffer);
    return buffer;
}

namespace {

// A number as f16: small integers.
uint16_t half(uint32_t value) {
    constexpr uint16_t kHalves[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400};  // 0 to 4
    return kHalves[value % 5];
}

}  // namespace

void Program::makeBuffers() {
    VkMemoryPropertyFlags memory = kHost;
    if (is("local")) memory = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (is("local")) usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    if (is("address")) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    // Of "shared", the range of A covers C.
    offsetOfC_ = is("shared") ? 4096 : 0;
    a_ = makeBuffer(is("shared") ? offsetOfC_ + kBytesOfC : kBytesOfA, usage, memory);
    c_ = is("shared") ? a_ : makeBuffer(kBytesOfC, usage, memory);
    uniform_ = makeBuffer(512, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, kHost);
    counts_ = makeBuffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, kHost);
    table_ = makeBuffer(64, usage, kHost);
    std::vector<uint16_t> a(kBytesOfA / 2);
    std::vector<float> c(kBytesOfC / 4);
    for (size_t i = 0; i < a.size(); ++i) a[i] = half(static_cast<uint32_t>(i * i + i / 16));
    for (size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(i % 97);
    record([&](VkCommandBuffer commands) {
        vkCmdUpdateBuffer(commands, a_.handle, 0, kBytesOfA, a.data());
        vkCmdUpdateBuffer(commands, c_.handle, offsetOfC_, kBytesOfC, c.data());
    });
    std::memcpy(uniform_.mapped + 256, constants_, sizeof(constants_));
    const VkDispatchIndirectCommand counts = {kGroups, 1, 1};
    std::memcpy(counts_.mapped + 16, &counts, sizeof(counts));
    std::memcpy(table_.mapped, &c_.address, sizeof(c_.address));
    infos_[0] = {a_.handle, 0, VK_WHOLE_SIZE};
    infos_[1] = {c_.handle, offsetOfC_, kBytesOfC};
    infos_[2] = {uniform_.handle, is("dynamic") ? 0u : 256u, sizeof(constants_)};
}

void Program::makeLayout() {
    const auto type = [&](uint32_t binding) {
        if (binding < 2) return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        if (is("inline")) return VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
        return is("dynamic") ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
                             : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    };
    VkDescriptorSetLayoutBinding bindings[3] = {};
    for (uint32_t i = 0; i < 3; ++i)
        bindings[i] = {i, type(i), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    if (is("inline")) bindings[2].descriptorCount = sizeof(constants_);
    VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    COOPVK_CHECK(vkCreateDescriptorSetLayout(device_, &info, nullptr, &empty_));
    if (pushes()) info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    info.bindingCount = 3;
    info.pBindings = bindings;
    COOPVK_CHECK(vkCreateDescriptorSetLayout(device_, &info, nullptr, &layout_));
    const VkDescriptorSetLayout sets[] = {empty_, layout_};
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 32};
    VkPipelineLayoutCreateInfo pipeline = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    pipeline.setLayoutCount = 2;
    pipeline.pSetLayouts = sets;
    pipeline.pushConstantRangeCount = 1;
    pipeline.pPushConstantRanges = &range;
    COOPVK_CHECK(vkCreatePipelineLayout(device_, &pipeline, nullptr, &pipelineLayout_));
    if (!is("template") && !is("push_template")) return;
    VkDescriptorUpdateTemplateEntry entries[3] = {};
    for (uint32_t i = 0; i < 3; ++i)
        entries[i] = {i, 0, 1, type(i), i * sizeof(infos_[0]), sizeof(infos_[0])};
    VkDescriptorUpdateTemplateCreateInfo update = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
    update.descriptorUpdateEntryCount = 3;
    update.pDescriptorUpdateEntries = entries;
    update.templateType = pushes() ? VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS
                                   : VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
    update.descriptorSetLayout = layout_;
    update.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    update.pipelineLayout = pipelineLayout_;
    update.set = 1;
    COOPVK_CHECK(vkCreateDescriptorUpdateTemplate(device_, &update, nullptr, &template_));
}

Program::~Program() {
    if (device_ != VK_NULL_HANDLE) {
        vkDestroyPipeline(device_, pipeline_, nullptr);
        vkDestroyDescriptorUpdateTemplate(device_, template_, nullptr);
        vkDestroyPipelineLayout(device_, pipelineLayout_, nullptr);
        vkDestroyDescriptorSetLayout(device_, layout_, nullptr);
        vkDestroyDescriptorSetLayout(device_, empty_, nullptr);
        vkDestroyDescriptorPool(device_, descriptors_, nullptr);
        vkDestroyCommandPool(device_, pool_, nullptr);
        for (const Buffer& buffer : buffers_) {
            vkDestroyBuffer(device_, buffer.handle, nullptr);
            vkFreeMemory(device_, buffer.memory, nullptr);
        }
        vkDestroyDevice(device_, nullptr);
    }
    vkDestroyInstance(instance_, nullptr);
}

}  // namespace coopvk::test
