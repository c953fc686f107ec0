// SPDX-License-Identifier: Apache-2.0
//
// Surfaces that nobody sees (VK_EXT_headless_surface), and swapchains of images for them.
#include "images/image.hpp"
#include "synchronization.hpp"

namespace coopvk::reference::icd {

struct SurfaceKHR : ObjectOf<VkSurfaceKHR> {};

VkResult CreateImage(Device&, const VkImageCreateInfo*, Allocator, VkImage*);
VkResult AllocateMemory(Device&, const VkMemoryAllocateInfo*, Allocator, VkDeviceMemory*);
VkResult BindImageMemory(Device&, Image*, DeviceMemory*, VkDeviceSize);
VkResult QueueSubmit(Queue&, uint32_t, const VkSubmitInfo*, Fence*);

struct SwapchainKHR : ObjectOf<VkSwapchainKHR> {
    struct Item {
        VkImage image = VK_NULL_HANDLE;
        VkDeviceMemory memory = VK_NULL_HANDLE;
        bool isAcquired = false;
    };
    std::vector<Item> items;  // the flags are guarded by the device's mutex
    uint32_t next = 0;
};

namespace {

constexpr uint32_t kMostImages = 16, kMostSurface = 16384;
constexpr VkImageUsageFlags kSurfaceUsage =
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
    VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
    VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
constexpr VkSurfaceFormatKHR kSurfaceFormats[] = {
    {VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_B8G8R8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_R8G8B8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
};
constexpr VkPresentModeKHR kPresentModes[] = {VK_PRESENT_MODE_IMMEDIATE_KHR,
                                              VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_FIFO_KHR,
                                              VK_PRESENT_MODE_FIFO_RELAXED_KHR};

template <typename T, size_t kCount>
VkResult writeValues(const T (&all)[kCount], uint32_t* count, T* out) {
    return writeList(uint32_t(kCount), count, out, [&](T& to, uint32_t i) { to = all[i]; });
}

SwapchainKHR::Item makeItem(Device& device, const VkSwapchainCreateInfoKHR& info) {
    VkImageCreateInfo image{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    image.imageType = VK_IMAGE_TYPE_2D;
    image.format = info.imageFormat;
    image.extent = {info.imageExtent.width, info.imageExtent.height, 1};
    image.mipLevels = 1;
    image.arrayLayers = info.imageArrayLayers;
    image.samples = VK_SAMPLE_COUNT_1_BIT;
    image.usage = info.imageUsage;
    SwapchainKHR::Item item;
    if (CreateImage(device, &image, nullptr, &item.image) != VK_SUCCESS) return {};
    VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    memory.allocationSize = objectOf(item.image)->size;
    if (AllocateMemory(device, &memory, nullptr, &item.memory) != VK_SUCCESS) return {};
    BindImageMemory(device, objectOf(item.image), objectOf(item.memory), 0);
    return item;
}

}  // namespace

VkResult CreateHeadlessSurfaceEXT(Instance* instance, const VkHeadlessSurfaceCreateInfoEXT*,
                                  Allocator, VkSurfaceKHR* out) {
    *out = give(std::make_shared<SurfaceKHR>(), instance);
    return VK_SUCCESS;
}

void DestroySurfaceKHR(Instance*, SurfaceKHR* surface, Allocator) {
    if (surface != nullptr) removeHandle(*surface);
}

VkResult GetPhysicalDeviceSurfaceSupportKHR(PhysicalDevice&, uint32_t, SurfaceKHR*, VkBool32* out) {
    *out = VK_TRUE;
    return VK_SUCCESS;
}

VkResult GetPhysicalDeviceSurfaceCapabilitiesKHR(PhysicalDevice&, SurfaceKHR*,
                                                 VkSurfaceCapabilitiesKHR* out) {
    constexpr uint32_t kOwnSize = ~uint32_t{0};  // the swapchain's
    *out = {1,
            kMostImages,
            {kOwnSize, kOwnSize},
            {1, 1},
            {kMostSurface, kMostSurface},
            1,
            VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
            VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
            VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
            kSurfaceUsage};
    return VK_SUCCESS;
}

VkResult GetPhysicalDeviceSurfaceCapabilities2KHR(PhysicalDevice& device,
                                                  const VkPhysicalDeviceSurfaceInfo2KHR* info,
                                                  VkSurfaceCapabilities2KHR* out) {
    return GetPhysicalDeviceSurfaceCapabilitiesKHR(device, objectOf(info->surface),
                                                   &out->surfaceCapabilities);
}

VkResult GetPhysicalDeviceSurfaceFormatsKHR(PhysicalDevice&, SurfaceKHR*, uint32_t* count,
                                            VkSurfaceFormatKHR* out) {
    return writeValues(kSurfaceFormats, count, out);
}

VkResult GetPhysicalDeviceSurfaceFormats2KHR(PhysicalDevice&,
                                             const VkPhysicalDeviceSurfaceInfo2KHR*,
                                             uint32_t* count, VkSurfaceFormat2KHR* out) {
    return writeList(
        uint32_t(std::size(kSurfaceFormats)), count, out,
        [](VkSurfaceFormat2KHR& to, uint32_t i) { to.surfaceFormat = kSurfaceFormats[i]; });
}

VkResult GetPhysicalDeviceSurfacePresentModesKHR(PhysicalDevice&, SurfaceKHR*, uint32_t* count,
                                                 VkPresentModeKHR* out) {
    return writeValues(kPresentModes, count, out);
}

VkResult GetDeviceGroupPresentCapabilitiesKHR(Device&, VkDeviceGroupPresentCapabilitiesKHR* out) {
    out->presentMask[0] = 1;
    out->modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
    return VK_SUCCESS;
}

VkResult CreateSwapchainKHR(Device& device, const VkSwapchainCreateInfoKHR* info, Allocator,
                            VkSwapchainKHR* out) {
    require(info->minImageCount <= kMostImages, "the surface has not so many images");
    require((info->imageUsage & ~kSurfaceUsage) == 0, "the surface's images have no such usage");
    auto swapchain = std::make_shared<SwapchainKHR>();
    for (uint32_t i = 0; i < std::max(info->minImageCount, 1u); ++i) {
        swapchain->items.push_back(makeItem(device, *info));
        if (swapchain->items.back().memory == VK_NULL_HANDLE) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    *out = give(swapchain, &device);
    return VK_SUCCESS;
}

void DestroySwapchainKHR(Device& device, SwapchainKHR* swapchain, Allocator) {
    if (swapchain == nullptr) return;
    for (const SwapchainKHR::Item& item : swapchain->items) {
        removeHandle(*objectOf(item.image));
        FreeMemory(device, objectOf(item.memory), nullptr);
    }
    removeHandle(*swapchain);
}

VkResult GetSwapchainImagesKHR(Device&, SwapchainKHR* swapchain, uint32_t* count, VkImage* out) {
    return writeList(uint32_t(swapchain->items.size()), count, out,
                     [&](VkImage& to, uint32_t i) { to = swapchain->items[i].image; });
}

// Nobody looks at the images, so each is ready as soon as it was presented.
VkResult AcquireNextImageKHR(Device& device, SwapchainKHR* swapchain, uint64_t,
                             Semaphore* semaphore, Fence* fence, uint32_t* index) {
    require(semaphore != nullptr || fence != nullptr,
            "neither a semaphore nor a fence is signaled");
    VkResult result = VK_NOT_READY;
    device.change([&] {
        auto& items = swapchain->items;
        for (size_t i = 0; i < items.size() && result != VK_SUCCESS; ++i) {
            *index = swapchain->next++ % uint32_t(items.size());
            if (items[*index].isAcquired) continue;
            items[*index].isAcquired = true;
            result = VK_SUCCESS;
        }
        if (result != VK_SUCCESS) return;
        if (semaphore != nullptr) {
            require(!semaphore->isPromised, "the semaphore is signaled already");
            semaphore->isPromised = true;
            semaphore->value = 1;
        }
        if (fence != nullptr) fence->signaled = true;
    });
    return result;
}

VkResult AcquireNextImage2KHR(Device& device, const VkAcquireNextImageInfoKHR* info,
                              uint32_t* index) {
    return AcquireNextImageKHR(device, &theObject(info->swapchain, device), info->timeout,
                               objectOf(info->semaphore), objectOf(info->fence), index);
}

VkResult QueuePresentKHR(Queue& queue, const VkPresentInfoKHR* info) {
    Device& device = *queue.device;
    const auto indices = listOf(info->pImageIndices, info->swapchainCount);
    const std::vector<VkPipelineStageFlags> stages(info->waitSemaphoreCount,
                                                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    VkSubmitInfo wait{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    wait.waitSemaphoreCount = info->waitSemaphoreCount;
    wait.pWaitSemaphores = info->pWaitSemaphores;
    wait.pWaitDstStageMask = stages.data();
    const VkResult result = QueueSubmit(queue, 1, &wait, nullptr);
    for (uint32_t i = 0; i < info->swapchainCount; ++i) {
        auto& items = theObject(info->pSwapchains[i], device).items;
        require(indices[i] < items.size(), "the swapchain has no such image");
        device.change([&] { items[indices[i]].isAcquired = false; });
        if (info->pResults != nullptr) info->pResults[i] = result;
    }
    return result;
}

}  // namespace coopvk::reference::icd
