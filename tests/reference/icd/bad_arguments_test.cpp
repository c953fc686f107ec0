// SPDX-License-Identifier: Apache-2.0
//
// Arguments that Vulkan's valid usage rules out: the device says which rule, and does nothing.
#include "bad_use.hpp"

namespace coopvk::reference::test::bad_arguments_test {
namespace {

constexpr auto kInvalid = VK_ERROR_VALIDATION_FAILED_EXT;
constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;

class BadArguments : public BadUse {
 protected:
    // One message since the last call, which ends with the text.
    void expectMessage(const std::string& text) {
        const std::vector<std::string> messages = takeMessages();
        ASSERT_EQ(messages.size(), 1u) << text;
        EXPECT_TRUE(messages[0].starts_with("coopvk-reference-usage: vk")) << messages[0];
        EXPECT_TRUE(messages[0].ends_with(": " + text)) << messages[0];
    }
    void expectRefused(VkResult result, const std::string& text) {
        EXPECT_EQ(result, kInvalid) << text;
        expectMessage(text);
    }
    VkDeviceMemory allocateMemory(VkDeviceSize size) {
        const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, size, 1};
        VkDeviceMemory memory = VK_NULL_HANDLE;
        EXPECT_VK(vkAllocateMemory(device, &info, nullptr, &memory));
        return memory;
    }
};

TEST_F(BadArguments, OfBuffers) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    const auto create = [&] { return vkCreateBuffer(device, &info, nullptr, &buffer); };
    expectRefused(create(), "the size is 0");
    info.size = 64;
    for (const VkBufferCreateFlags flags :
         {VK_BUFFER_CREATE_SPARSE_BINDING_BIT, VK_BUFFER_CREATE_PROTECTED_BIT}) {
        info.flags = flags;
        expectRefused(create(), "the device has no sparse and no protected buffers");
    }
    info.flags = 0;
    info.usage = 0;
    expectRefused(create(), "the usage is 0");
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    ASSERT_VK(create());
    const VkDeviceMemory memory = allocateMemory(256);
    const auto bind = [&](VkDeviceSize offset) {
        return vkBindBufferMemory(device, buffer, memory, offset);
    };
    expectRefused(bind(256 - 63), "the buffer goes beyond the end of the memory");
    expectRefused(bind(1), "the offset is no multiple of the buffer's alignment");
    ASSERT_VK(bind(0));
    expectRefused(bind(0), "the buffer has memory already");
    VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    address.buffer = buffer;
    vkGetBufferDeviceAddress(device, &address);
    expectMessage("the buffer's usage does not allow it");
    vkDestroyBuffer(device, buffer, nullptr);
    vkFreeMemory(device, memory, nullptr);
}

TEST_F(BadArguments, OfMappings) {
    const VkDeviceMemory memory = allocateMemory(64);
    void* data = nullptr;
    const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, 0,
                                    VK_WHOLE_SIZE};
    expectRefused(vkFlushMappedMemoryRanges(device, 1, &range), "the memory is not mapped");
    expectRefused(vkInvalidateMappedMemoryRanges(device, 1, &range), "the memory is not mapped");
    expectRefused(vkMapMemory(device, memory, 32, 33, 0, &data), "the range is not in the memory");
    expectRefused(vkMapMemory(device, memory, 0, 0, 0, &data), "the range is not in the memory");
    ASSERT_VK(vkMapMemory(device, memory, 32, 32, 0, &data));
    expectRefused(vkMapMemory(device, memory, 0, 4, 0, &data), "the memory is mapped already");
    EXPECT_VK(vkFlushMappedMemoryRanges(device, 1, &range));
    vkUnmapMemory(device, memory);
    vkUnmapMemory(device, memory);
    expectMessage("the memory is not mapped");
    vkFreeMemory(device, memory, nullptr);
}

TEST_F(BadArguments, OfSemaphoresAndFences) {
    VkSemaphoreTypeCreateInfo kind{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &kind};
    VkSemaphore binary = VK_NULL_HANDLE, timeline = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateSemaphore(device, &info, nullptr, &binary));
    kind.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    kind.initialValue = 5;
    ASSERT_VK(vkCreateSemaphore(device, &info, nullptr, &timeline));
    uint64_t value = 0;
    expectRefused(vkGetSemaphoreCounterValue(device, binary, &value),
                  "the semaphore has no timeline");
    VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    signal.semaphore = binary;
    expectRefused(vkSignalSemaphore(device, &signal), "the semaphore has no timeline");
    signal.semaphore = timeline;
    for (const uint64_t old : {4, 5}) {
        signal.value = old;
        expectRefused(vkSignalSemaphore(device, &signal),
                      "the value is not greater than the semaphore's");
    }
    EXPECT_VK(vkGetSemaphoreCounterValue(device, timeline, &value));
    EXPECT_EQ(value, 5u);
    signal.value = 6;
    EXPECT_VK(vkSignalSemaphore(device, &signal));
    EXPECT_VK(vkGetSemaphoreCounterValue(device, timeline, &value));
    EXPECT_EQ(value, 6u);
    expectRefused(vkWaitForFences(device, 0, nullptr, VK_TRUE, 0),
                  "there are no fences to wait for");
    vkDestroySemaphore(device, binary, nullptr);
    vkDestroySemaphore(device, timeline, nullptr);
}

// A set takes as many offsets as it has dynamic descriptors.
TEST_F(BadArguments, OfDynamicOffsets) {
    Layout layout(device, {binding(0, kDynamic, 2), binding(1, kStorage)});
    const VkDescriptorSet set = layout.allocate();
    const uint32_t offsets[3] = {};
    for (const uint32_t count : {0u, 1u, 3u}) {
        const VkCommandBuffer commands = begun();
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0, 1,
                                &set, count, offsets);
        expectMessage(count < 2 ? "a dynamic descriptor has no offset"
                                : "there are more offsets than dynamic descriptors");
        EXPECT_EQ(vkEndCommandBuffer(commands), kInvalid);
        takeMessages();
    }
    const VkCommandBuffer commands = begun();
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0, 1, &set,
                            2, offsets);
    EXPECT_VK(vkEndCommandBuffer(commands));
}

// No more queues than families have.
TEST_F(BadArguments, OfQueues) {
    const float priorities[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    VkDeviceQueueCreateInfo asked[2] = {{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO},
                                        {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO}};
    for (VkDeviceQueueCreateInfo& each : asked) {
        each.queueCount = 1;
        each.pQueuePriorities = priorities;
    }
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.pQueueCreateInfos = asked;
    const auto refused = [&](const std::string& text) {
        VkDevice made = VK_NULL_HANDLE;
        EXPECT_EQ(vkCreateDevice(physical, &info, nullptr, &made), kInvalid) << text;
        EXPECT_EQ(made, VkDevice{VK_NULL_HANDLE});
        const std::vector<std::string> messages = takeMessages();
        ASSERT_FALSE(messages.empty()) << text;
        EXPECT_TRUE(messages[0].ends_with(": " + text)) << messages[0];
    };
    info.queueCreateInfoCount = 2;
    refused("a family of queues is asked for twice");
    info.queueCreateInfoCount = 0;
    refused("no family of queues is asked for");
    info.queueCreateInfoCount = 1;
    asked[0].queueFamilyIndex = 1;
    refused("there is no such family of queues");
    asked[0].queueFamilyIndex = 0;
    uint32_t count = 1;
    VkQueueFamilyProperties family{};
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, &family);
    asked[0].queueCount = family.queueCount + 1;
    refused("the family has not so many queues");
}

// With images.
class BadImages : public BadArguments {
 protected:
    void SetUp() override {
        setenv("COOPVK_REFERENCE_GRAPHICS", "accept", 1);
        BadArguments::SetUp();
    }
    void TearDown() override {
        BadArguments::TearDown();
        unsetenv("COOPVK_REFERENCE_GRAPHICS");
    }
    static VkImageCreateInfo imageInfo() {
        VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = VK_FORMAT_R8G8B8A8_UNORM;
        info.extent = {4, 4, 1};
        info.mipLevels = 2;
        info.arrayLayers = 3;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
        return info;
    }
};

TEST_F(BadImages, ThatCannotBe) {
    const auto refused = [&](const auto& change, const std::string& text) {
        VkImageCreateInfo info = imageInfo();
        change(info);
        VkImage image = VK_NULL_HANDLE;
        expectRefused(vkCreateImage(device, &info, nullptr, &image), text);
        EXPECT_EQ(image, VkImage{VK_NULL_HANDLE});
    };
    refused([](auto& info) { info.extent.width = 0; }, "the extent is 0");
    refused([](auto& info) { info.extent.height = 0; }, "the extent is 0");
    refused([](auto& info) { info.extent.depth = 0; }, "the extent is 0");
    refused([](auto& info) { info.mipLevels = 0; }, "the image has no level or no layer");
    refused([](auto& info) { info.arrayLayers = 0; }, "the image has no level or no layer");
    refused([](auto& info) { info.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT; },
            "the device has no sparse and no protected images");
    refused([](auto& info) { info.flags = VK_IMAGE_CREATE_PROTECTED_BIT; },
            "the device has no sparse and no protected images");
}

TEST_F(BadImages, MemoryAndViews) {
    const VkImageCreateInfo info = imageInfo();
    VkImage image = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateImage(device, &info, nullptr, &image));
    VkMemoryRequirements needed;
    vkGetImageMemoryRequirements(device, image, &needed);
    const VkDeviceMemory memory = allocateMemory(needed.size + needed.alignment);
    const auto bind = [&](VkDeviceSize offset) {
        return vkBindImageMemory(device, image, memory, offset);
    };
    expectRefused(bind(2 * needed.alignment), "the image goes beyond the end of the memory");
    expectRefused(bind(needed.alignment / 2), "the offset is no multiple of the image's alignment");
    EXPECT_VK(bind(needed.alignment));
    expectRefused(bind(0), "the image has memory already");
    VkImageViewCreateInfo viewInfo{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    viewInfo.image = image;
    viewInfo.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    viewInfo.format = info.format;
    VkImageView view = VK_NULL_HANDLE;
    const auto create = [&](VkImageSubresourceRange range) {
        viewInfo.subresourceRange = range;
        return vkCreateImageView(device, &viewInfo, nullptr, &view);
    };
    constexpr auto kColor = VK_IMAGE_ASPECT_COLOR_BIT;
    expectRefused(create({kColor, 2, 1, 0, 1}), "the image has no such levels");
    expectRefused(create({kColor, 1, 2, 0, 1}), "the image has no such levels");
    expectRefused(create({kColor, 0, 1, 3, 1}), "the image has no such layers");
    expectRefused(create({kColor, 0, 1, 1, 3}), "the image has no such layers");
    viewInfo.format = VK_FORMAT_R32G32_UINT;
    expectRefused(create({kColor, 0, 1, 0, 1}), "the formats of view and image differ in size");
    viewInfo.format = VK_FORMAT_R32_UINT;
    ASSERT_VK(create({kColor, 0, VK_REMAINING_MIP_LEVELS, 2, VK_REMAINING_ARRAY_LAYERS}));
    vkDestroyImageView(device, view, nullptr);
    vkDestroyImage(device, image, nullptr);
    vkFreeMemory(device, memory, nullptr);
    VkSamplerCreateInfo sampler{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    sampler.borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT;
    VkSampler made = VK_NULL_HANDLE;
    expectRefused(vkCreateSampler(device, &sampler, nullptr, &made), "there is no border color");
}

}  // namespace
}  // namespace coopvk::reference::test::bad_arguments_test
