// SPDX-License-Identifier: Apache-2.0
//
// COOPVK_REFERENCE_GRAPHICS=accept: what programs ask of devices that draw, and what happens where
// they draw.
#include <cstdlib>

#include "images.hpp"

namespace coopvk::reference::test::graphics_test {
namespace {

class Graphics : public Accepting {
 protected:
    void SetUp() override {
        Accepting::SetUp();
        isValidated = std::getenv("VK_INSTANCE_LAYERS") != nullptr;
    }
    // Two draws, in a pass without attachments.
    void draw(VkCommandBuffer commands) {
        VkRenderingInfo pass{VK_STRUCTURE_TYPE_RENDERING_INFO};
        pass.renderArea.extent = {1, 1};
        pass.layerCount = 1;
        vkCmdBeginRendering(commands, &pass);
        const VkViewport viewport{0, 0, 1, 1, 0, 1};
        vkCmdSetViewport(commands, 0, 1, &viewport);
        vkCmdDraw(commands, 3, 1, 0, 0);
        vkCmdDraw(commands, 3, 1, 0, 0);
        vkCmdEndRendering(commands);
    }
    bool isValidated = false;
};

bool startsWith(const std::string& text, const std::string& head) {
    return text.rfind(head, 0) == 0;
}

// Vulkan, "Limits" and "Required Format Support": what every device has that draws.
TEST_F(Graphics, HasWhatProgramsAskFor) {
    uint32_t count = 1;
    VkQueueFamilyProperties family;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, &family);
    EXPECT_TRUE(family.queueFlags & VK_QUEUE_GRAPHICS_BIT);
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    const VkPhysicalDeviceLimits& limits = properties.limits;
    EXPECT_GE(limits.maxImageDimension2D, 4096u);
    EXPECT_GE(limits.maxImageDimension3D, 256u);
    EXPECT_GE(limits.maxColorAttachments, 4u);
    EXPECT_GE(limits.maxVertexOutputComponents, 64u);
    EXPECT_GE(limits.maxTessellationControlTotalOutputComponents, 2048u);
    EXPECT_GE(limits.maxGeometryTotalOutputComponents, 1024u);
    EXPECT_GE(limits.maxFragmentCombinedOutputResources, 16u);
    EXPECT_LE(limits.viewportBoundsRange[0],
              -2.0f * static_cast<float>(limits.maxViewportDimensions[0]));
    EXPECT_GE(limits.viewportBoundsRange[1],
              2.0f * static_cast<float>(limits.maxViewportDimensions[0]) - 1);
    EXPECT_TRUE(limits.framebufferColorSampleCounts & VK_SAMPLE_COUNT_4_BIT);
    EXPECT_GE(limits.pointSizeRange[1], 256 - limits.pointSizeGranularity);
    VkPhysicalDeviceVulkan14Properties later{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &later};
    vkGetPhysicalDeviceProperties2(physical, &all);
    EXPECT_GE(later.lineSubPixelPrecisionBits, 4u);
    VkPhysicalDeviceVulkan14Features mandatory{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES};
    VkPhysicalDeviceFeatures2 asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &mandatory};
    vkGetPhysicalDeviceFeatures2(physical, &asked);
    EXPECT_TRUE(mandatory.indexTypeUint8 && mandatory.bresenhamLines);
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(physical, &features);
    EXPECT_TRUE(features.independentBlend && features.imageCubeArray && features.geometryShader);
    EXPECT_FALSE(features.sparseBinding);
}

// With all queues of these families.
VkDevice deviceWith(VkPhysicalDevice physical, const VkQueueFamilyProperties (&families)[3]) {
    const float priorities[] = {1, 1};
    VkDeviceQueueCreateInfo asked[3]{};
    for (uint32_t i = 0; i < 3; ++i)
        asked[i] = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                    nullptr,
                    0,
                    i,
                    families[i].queueCount,
                    priorities};
    VkPhysicalDeviceVulkan12Features features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    features.bufferDeviceAddress = VK_TRUE;
    VkPhysicalDeviceVulkan13Features more{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                          &features};
    more.synchronization2 = VK_TRUE;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &more};
    info.queueCreateInfoCount = 3;
    info.pQueueCreateInfos = asked;
    VkDevice other = VK_NULL_HANDLE;
    EXPECT_VK(vkCreateDevice(physical, &info, nullptr, &other));
    return other;
}

// "Feature Requirements": a device that draws has the feature hostImageCopy, or "additional queue
// families that support the VK_QUEUE_TRANSFER_BIT flag". A third family computes, and does not
// draw.
TEST_F(Graphics, OtherFamiliesTransferAndCompute) {
    uint32_t count = 3;
    VkQueueFamilyProperties families[3]{};
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    ASSERT_EQ(count, 3u);
    EXPECT_EQ(families[1].queueFlags, VkQueueFlags{VK_QUEUE_TRANSFER_BIT});
    EXPECT_EQ(families[2].queueFlags, VkQueueFlags{VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT});
    const VkDevice other = deviceWith(physical, families);
    VkQueue ofFamilies[3] = {};
    vkGetDeviceQueue(other, 0, families[0].queueCount - 1, &ofFamilies[0]);
    for (const uint32_t family : {1u, 2u}) {
        vkGetDeviceQueue(other, family, 0, &ofFamilies[family]);
        EXPECT_NE(ofFamilies[family], ofFamilies[family - 1]);
        VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        poolInfo.queueFamilyIndex = family;
        VkCommandPool ofFamily = VK_NULL_HANDLE;
        ASSERT_VK(vkCreateCommandPool(other, &poolInfo, nullptr, &ofFamily));
        const VkCommandBufferAllocateInfo allocateInfo{
            VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, ofFamily,
            VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
        VkCommandBuffer commands = VK_NULL_HANDLE;
        ASSERT_VK(vkAllocateCommandBuffers(other, &allocateInfo, &commands));
        Words words(other, {1, 2});
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        ASSERT_VK(vkBeginCommandBuffer(commands, &begin));
        vkCmdFillBuffer(commands, words.buffer, 0, VK_WHOLE_SIZE, 6 + family);
        fullBarrier(commands);
        ASSERT_VK(vkEndCommandBuffer(commands));
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &commands;
        EXPECT_VK(vkQueueSubmit(ofFamilies[family], 1, &submit, VK_NULL_HANDLE));
        EXPECT_VK(vkQueueWaitIdle(ofFamilies[family]));
        EXPECT_EQ(words.values(), (std::vector<uint32_t>{6 + family, 6 + family}));
        vkDestroyCommandPool(other, ofFamily, nullptr);
    }
    vkDestroyDevice(other, nullptr);
}

TEST_F(Graphics, FormatsHaveWhatVulkanRequires) {
    constexpr VkFormatFeatureFlags kSampled =
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
    constexpr VkFormatFeatureFlags kStored = kSampled | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
    constexpr VkFormatFeatureFlags kFiltered = VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    struct Row {
        VkFormat format;
        VkFormatFeatureFlags has, lacks;
    };
    constexpr Row kRows[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, kStored | kFiltered | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, 0},
        {VK_FORMAT_R8G8B8A8_SRGB, kSampled | kFiltered, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT},
        {VK_FORMAT_R32_UINT, kStored | VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT, kFiltered},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, kSampled | kFiltered, 0},
        {VK_FORMAT_D16_UNORM,
         kSampled | VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT,
         VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT},
        {VK_FORMAT_BC1_RGB_UNORM_BLOCK, kSampled | kFiltered | VK_FORMAT_FEATURE_BLIT_SRC_BIT,
         VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT},
        {VK_FORMAT_ASTC_4x4_UNORM_BLOCK, 0, ~0u},
        {VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, 0, ~0u},
    };
    for (const Row& row : kRows) {
        VkFormatProperties properties;
        vkGetPhysicalDeviceFormatProperties(physical, row.format, &properties);
        EXPECT_EQ(properties.optimalTilingFeatures & row.has, row.has) << row.format;
        EXPECT_EQ(properties.optimalTilingFeatures & row.lacks, 0u) << row.format;
    }
}

TEST_F(Graphics, DrawsAreReportedOnce) {
    if (isValidated) GTEST_SKIP() << "the validation layer reports draws without a pipeline";
    EXPECT_VK(run([&](VkCommandBuffer commands) { draw(commands); }));
    const std::vector<std::string> messages = takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_TRUE(startsWith(messages[0], "coopvk-reference-graphics: graphics: vkCmdDraw of "));
}

// VK_ATTACHMENT_LOAD_OP_CLEAR: of the render area alone. vkCmdClearAttachments: of a rectangle.
TEST_F(Graphics, PassesClear) {
    Picture picture(device, VK_FORMAT_R8G8B8A8_UNORM, {3, 2});
    Words texels(device, std::vector<uint32_t>(6, 7));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        picture.prepare(commands);
        picture.clear(commands);
        VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
        color.imageView = picture.view;
        color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
        color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        color.clearValue.color = {{1, 0, 1, 1}};
        VkRenderingInfo pass{VK_STRUCTURE_TYPE_RENDERING_INFO};
        pass.renderArea = {{1, 1}, {2, 1}};
        pass.layerCount = 1;
        pass.colorAttachmentCount = 1;
        pass.pColorAttachments = &color;
        vkCmdBeginRendering(commands, &pass);
        const VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 0, {{{0, 1, 0, 0}}}};
        const VkClearRect part{{{2, 1}, {1, 1}}, 0, 1};
        vkCmdClearAttachments(commands, 1, &clear, 1, &part);
        vkCmdEndRendering(commands);
        fullBarrier(commands);
        picture.copyTo(commands, texels.buffer);
    }));
    EXPECT_EQ(texels.values(), (std::vector<uint32_t>{0, 0, 0, 0, 0xFFFF00FF, 0x0000FF00}));
}

// VK_EXT_memory_budget: the heap's usage counts what is allocated.
TEST_F(Graphics, MemoryIsCounted) {
    const auto used = [&] {
        VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
        VkPhysicalDeviceMemoryProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                              &budget};
        vkGetPhysicalDeviceMemoryProperties2(physical, &all);
        EXPECT_LE(budget.heapBudget[0], all.memoryProperties.memoryHeaps[0].size);
        EXPECT_EQ(budget.heapBudget[1] + budget.heapUsage[1], 0u);
        return budget.heapUsage[0];
    };
    const VkDeviceSize before = used();
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = 12345;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    ASSERT_VK(vkAllocateMemory(device, &info, nullptr, &memory));
    EXPECT_EQ(used(), before + 12345);
    vkFreeMemory(device, memory, nullptr);
    EXPECT_EQ(used(), before);
}

TEST_F(Graphics, PipelinesAreAccepted) {
    if (isValidated) GTEST_SKIP() << "the validation layer reports a pipeline without shaders";
    const VkGraphicsPipelineCreateInfo infos[2] = {
        {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO},
        {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO}};
    VkPipeline pipelines[2] = {};
    ASSERT_VK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 2, infos, nullptr, pipelines));
    EXPECT_NE(pipelines[0], pipelines[1]);
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[0]);
    }));
    for (const VkPipeline each : pipelines) vkDestroyPipeline(device, each, nullptr);
}

class Swapchains : public Graphics {
 protected:
    void SetUp() override {
        Graphics::SetUp();
        const VkHeadlessSurfaceCreateInfoEXT surfaceInfo{
            VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
        ASSERT_VK(vkCreateHeadlessSurfaceEXT(instance, &surfaceInfo, nullptr, &surface));
        VkBool32 isSupported = VK_FALSE;
        EXPECT_VK(vkGetPhysicalDeviceSurfaceSupportKHR(physical, 0, surface, &isSupported));
        EXPECT_TRUE(isSupported);
        createSwapchain();
        const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        ASSERT_VK(vkCreateFence(device, &fenceInfo, nullptr, &fence));
    }
    void TearDown() override {
        vkQueueWaitIdle(queue);
        vkDestroyFence(device, fence, nullptr);
        vkDestroySwapchainKHR(device, swapchain, nullptr);
        vkDestroySurfaceKHR(instance, surface, nullptr);
        Graphics::TearDown();
    }
    void createSwapchain() {
        VkSurfaceCapabilitiesKHR capabilities;
        EXPECT_VK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(physical, surface, &capabilities));
        uint32_t count = 1;
        VkSurfaceFormatKHR format;
        EXPECT_EQ(vkGetPhysicalDeviceSurfaceFormatsKHR(physical, surface, &count, &format),
                  VK_INCOMPLETE);
        VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
        info.surface = surface;
        info.minImageCount = 2;
        info.imageFormat = format.format;
        info.imageColorSpace = format.colorSpace;
        info.imageExtent = {8, 4};
        info.imageArrayLayers = 1;
        info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
        info.preTransform = capabilities.currentTransform;
        info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
        info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
        ASSERT_VK(vkCreateSwapchainKHR(device, &info, nullptr, &swapchain));
    }
    VkResult acquire(uint32_t& index) {
        const VkResult result =
            vkAcquireNextImageKHR(device, swapchain, 0, VK_NULL_HANDLE, fence, &index);
        if (result != VK_SUCCESS) return result;
        EXPECT_VK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
        EXPECT_VK(vkResetFences(device, 1, &fence));
        return result;
    }

    VkSurfaceKHR surface = VK_NULL_HANDLE;
    VkSwapchainKHR swapchain = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
};

TEST_F(Swapchains, GoRound) {
    VkImage images[2] = {};
    uint32_t count = 2;
    EXPECT_VK(vkGetSwapchainImagesKHR(device, swapchain, &count, images));
    EXPECT_NE(images[0], images[1]);
    uint32_t first = 9, second = 9, third = 9;
    EXPECT_VK(acquire(first));
    EXPECT_VK(acquire(second));
    EXPECT_EQ(first + second, 1u);
    if (isValidated) return;  // it forbids a third, and images in other layouts
    EXPECT_EQ(acquire(third), VK_NOT_READY);
    VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    present.swapchainCount = 1;
    present.pSwapchains = &swapchain;
    present.pImageIndices = &first;
    EXPECT_VK(vkQueuePresentKHR(queue, &present));
    EXPECT_VK(acquire(third));
    EXPECT_EQ(third, first);
}

class GraphicsWithErrors : public Graphics {
 protected:
    void SetUp() override {
        setenv("COOPVK_REFERENCE_REPORT", "error", 1);
        Graphics::SetUp();
    }
    void TearDown() override {
        Graphics::TearDown();
        unsetenv("COOPVK_REFERENCE_REPORT");
    }
};

TEST_F(GraphicsWithErrors, DrawsLoseTheDevice) {
    if (isValidated) GTEST_SKIP() << "the validation layer reports draws without a pipeline";
    EXPECT_EQ(run([&](VkCommandBuffer commands) { draw(commands); }), VK_ERROR_DEVICE_LOST);
    EXPECT_FALSE(takeMessages().empty());
}

class Refusing : public Vulkan {};

TEST_F(Refusing, HasNoImagesAndNoDraws) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {1, 1, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_STORAGE_BIT;
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
        GTEST_SKIP() << "the validation layer reports it";
    VkImage image = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateImage(device, &info, nullptr, &image), VK_ERROR_FEATURE_NOT_PRESENT);
    const VkCommandBuffer commands = allocate();
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ASSERT_VK(vkBeginCommandBuffer(commands, &begin));
    vkCmdDraw(commands, 3, 1, 0, 0);
    EXPECT_EQ(vkEndCommandBuffer(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(takeMessages(), (std::vector<std::string>{
                                  "coopvk-reference-usage: vkCmdDraw: the device does not execute "
                                  "this command"}));
}

}  // namespace
}  // namespace coopvk::reference::test::graphics_test
