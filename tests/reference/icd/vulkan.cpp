// SPDX-License-Identifier: Apache-2.0
#include "vulkan.hpp"

#include <algorithm>
#include <utility>

namespace coopvk::reference::test {

// The loader warns of layers that the environment adds.
VKAPI_ATTR VkBool32 VKAPI_CALL Vulkan::onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                 VkDebugUtilsMessageTypeFlagsEXT,
                                                 const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                 void* user) {
    Vulkan& self = *static_cast<Vulkan*>(user);
    const std::string id = data->pMessageIdName == nullptr ? "" : data->pMessageIdName;
    const std::lock_guard lock(self.mutex_);
    if (id != "Loader Message") self.messages_.push_back(id + ": " + data->pMessage);
    return VK_FALSE;
}

void Vulkan::SetUp() {
    ASSERT_VK(volkInitialize());
    createInstance();
    createDevice();
    const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    ASSERT_VK(vkCreateCommandPool(device, &info, nullptr, &pool));
}

void Vulkan::TearDown() {
    vkDestroyCommandPool(device, pool, nullptr);
    vkDestroyDevice(device, nullptr);
    EXPECT_EQ(takeMessages(), std::vector<std::string>{});
    vkDestroyDebugUtilsMessengerEXT(instance, messenger_, nullptr);
    vkDestroyInstance(instance, nullptr);
}

void Vulkan::createInstance() {
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_4;
    std::vector<const char*> extensions = instanceExtensions;
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    ASSERT_VK(vkCreateInstance(&info, nullptr, &instance));
    volkLoadInstance(instance);
    VkDebugUtilsMessengerCreateInfoEXT messages{
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messages.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                               VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messages.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messages.pfnUserCallback = onMessage;
    messages.pUserData = this;
    ASSERT_VK(vkCreateDebugUtilsMessengerEXT(instance, &messages, nullptr, &messenger_));
}

void Vulkan::createDevice() {
    uint32_t count = 1;
    ASSERT_VK(vkEnumeratePhysicalDevices(instance, &count, &physical));
    VkPhysicalDeviceRobustness2FeaturesEXT robust{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, moreFeatures};
    VkPhysicalDeviceShaderObjectFeaturesEXT objects{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
        deviceExtensions.empty() ? nullptr : &robust};
    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                         &objects};
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                         &v13};
    VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                         &v12};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    if (!hasNullDescriptors) robust.nullDescriptor = VK_FALSE;
    std::vector<const char*> extensions = deviceExtensions;
    extensions.insert(extensions.end(),
                      {VK_EXT_SHADER_OBJECT_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
                       VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME});
    const float priorities[] = {1, 1};
    VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queueInfo.queueCount = 2;
    queueInfo.pQueuePriorities = priorities;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queueInfo;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    ASSERT_VK(vkCreateDevice(physical, &info, nullptr, &device));
    volkLoadDevice(device);
    for (uint32_t i = 0; i < queues.size(); ++i) vkGetDeviceQueue(device, 0, i, &queues[i]);
    queue = queues[0];
}

std::vector<std::string> Vulkan::takeMessages() {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
}

bool Vulkan::hasMessages() {
    const std::lock_guard lock(mutex_);
    return !messages_.empty();
}

VkCommandBuffer Vulkan::allocate(VkCommandBufferLevel level) {
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                           pool, level, 1};
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    EXPECT_VK(vkAllocateCommandBuffers(device, &info, &buffer));
    return buffer;
}

VkResult Vulkan::run(const std::function<void(VkCommandBuffer)>& commands) {
    const VkCommandBuffer buffer = allocate();
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    EXPECT_VK(vkBeginCommandBuffer(buffer, &begin));
    commands(buffer);
    fullBarrier(buffer);
    EXPECT_VK(vkEndCommandBuffer(buffer));
    const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    EXPECT_VK(vkCreateFence(device, &fenceInfo, nullptr, &fence));
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &buffer;
    VkResult result = vkQueueSubmit(queue, 1, &submit, fence);
    EXPECT_VK(result);
    if (result == VK_SUCCESS) result = vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
    vkDestroyFence(device, fence, nullptr);
    return result;
}

void fullBarrier(VkCommandBuffer commands) {
    constexpr VkAccessFlags kAny = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, kAny,
                                 kAny | VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, kStages, kStages | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0,
                         nullptr, 0, nullptr);
}

Words::Words(VkDevice device, std::vector<uint32_t> values, uint32_t memoryType,
             VkBufferUsageFlags more)
    : device_(device), count_(values.size()) {
    create(nullptr, more);
    VkMemoryRequirements needed;
    vkGetBufferMemoryRequirements(device, buffer, &needed);
    allocate(needed.size, memoryType, nullptr);
    std::copy(values.begin(), values.end(), map_);
}

Words::Words(VkDevice device, size_t count, VkDeviceSize size, const void* allocation,
             VkExternalMemoryHandleTypeFlags kind, uint32_t memoryType)
    : device_(device), count_(count) {
    const VkExternalMemoryBufferCreateInfo external{
        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr, kind};
    create(&external);
    allocate(size, memoryType, allocation);
}

void Words::create(const void* external, VkBufferUsageFlags more) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, external};
    info.size = count_ * sizeof(uint32_t);
    info.usage = more | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                 VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
    EXPECT_VK(vkCreateBuffer(device_, &info, nullptr, &buffer));
}

void Words::allocate(VkDeviceSize size, uint32_t memoryType, const void* next) {
    const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, next,
                                          VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, size,
                                          memoryType};
    EXPECT_VK(vkAllocateMemory(device_, &allocation, nullptr, &memory_));
    EXPECT_VK(vkBindBufferMemory(device_, buffer, memory_, 0));
    if (memoryType == 0) return;
    void* map = nullptr;
    EXPECT_VK(vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &map));
    map_ = static_cast<uint32_t*>(map);
}

Words::~Words() {
    vkDestroyBuffer(device_, buffer, nullptr);
    freeMemory();
}

void Words::freeMemory() {
    vkFreeMemory(device_, memory_, nullptr);
    memory_ = VK_NULL_HANDLE;
}

VkDeviceAddress Words::address() const {
    const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr,
                                         buffer};
    return vkGetBufferDeviceAddress(device_, &info);
}

}  // namespace coopvk::reference::test
