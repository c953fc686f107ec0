// SPDX-License-Identifier: Apache-2.0
//
// Commands whose allocations fail, one after the other: each returns VK_ERROR_OUT_OF_HOST_MEMORY,
// leaves nothing, and succeeds when there is memory.
#include <cstdlib>
#include <new>

#include "programs.hpp"
#include "size.spv.h"

namespace coopvk::reference::test::allocation_test {
namespace {

// Of this thread: so many allocations succeed before all fail; negative: none fails.
thread_local int allocationsLeft = -1;

}  // namespace
}  // namespace coopvk::reference::test::allocation_test

// The driver's calls come here, too, also where it has a standard library of its own.
#ifdef COOPVK_SANITIZED
// GCC takes an inlined pair for a mistake.
[[gnu::noinline]] void* operator new(size_t size) {
    int& left = coopvk::reference::test::allocation_test::allocationsLeft;
    void* memory = left == 0 ? nullptr : std::malloc(size);
    if (left > 0) --left;
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#else
extern "C" void* __libc_malloc(size_t size);  // glibc's own
// Compilers need not export it where symbols are hidden.
extern "C" [[gnu::visibility("default")]] void* malloc(size_t size) {
    int& left = coopvk::reference::test::allocation_test::allocationsLeft;
    if (left == 0) return nullptr;
    if (left > 0) --left;
    return __libc_malloc(size);
}
#endif

namespace coopvk::reference::test::allocation_test {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

class Allocations : public Vulkan {
 protected:
    void SetUp() override {
        if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
            GTEST_SKIP() << "the validation layer does not survive it";
        Vulkan::SetUp();
        // The first exception allocates this thread's data of the driver, without which glibc
        // aborts.
        EXPECT_EQ(vkGetFenceStatus(device, VK_NULL_HANDLE), VK_ERROR_VALIDATION_FAILED_EXT);
        takeMessages();
    }
    void TearDown() override {
        if (device != VK_NULL_HANDLE) Vulkan::TearDown();
    }

    // `call` until it succeeds, with one allocation more each time. Returns how often it failed.
    template <typename Call>
    int failures(const Call& call) {
        for (int count = 0; count < 20000; ++count) {
            allocationsLeft = count;
            const VkResult result = call();
            allocationsLeft = -1;
            if (result == VK_SUCCESS) return count;
            EXPECT_EQ(result, VK_ERROR_OUT_OF_HOST_MEMORY) << count;
            if (result != VK_ERROR_OUT_OF_HOST_MEMORY) return 0;
        }
        ADD_FAILURE() << "it never succeeds";
        return 0;
    }
};

// Vulkan: all memory of a heap is at most its size, whichever allocations it is in.
TEST_F(Allocations, OfMoreThanTheHeap) {
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr,
                                    properties.memoryHeaps[0].size / 2 + 1, 1};
    VkDeviceMemory first = VK_NULL_HANDLE, second = VK_NULL_HANDLE;
    if (vkAllocateMemory(device, &info, nullptr, &first) != VK_SUCCESS)
        GTEST_SKIP() << "the host has too little";
    EXPECT_EQ(vkAllocateMemory(device, &info, nullptr, &second), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    vkFreeMemory(device, first, nullptr);
    EXPECT_VK(vkAllocateMemory(device, &info, nullptr, &second));
    vkFreeMemory(device, second, nullptr);
}

TEST_F(Allocations, OfObjects) {
    const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    EXPECT_GT(failures([&] { return vkCreateFence(device, &fenceInfo, nullptr, &fence); }), 0);
    vkDestroyFence(device, fence, nullptr);
    const VkMemoryAllocateInfo memoryInfo{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 64, 1};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    EXPECT_GT(failures([&] { return vkAllocateMemory(device, &memoryInfo, nullptr, &memory); }), 0);
    vkFreeMemory(device, memory, nullptr);
}

TEST_F(Allocations, OfPoolsGiveAllOrNothing) {
    VkCommandBuffer buffers[3];
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                           pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 3};
    const auto allocateAll = [&] {
        const VkResult result = vkAllocateCommandBuffers(device, &info, buffers);
        const bool made = result == VK_SUCCESS;
        for (const VkCommandBuffer buffer : buffers) EXPECT_EQ(buffer != VK_NULL_HANDLE, made);
        return result;
    };
    EXPECT_GT(failures(allocateAll), 3);
    vkFreeCommandBuffers(device, pool, 3, buffers);
}

TEST_F(Allocations, OfRecordings) {
    Words words(device, {1, 2});
    const uint32_t data[] = {3, 4};
    const VkCommandBuffer buffer = allocate();
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const auto record = [&] {
        const VkResult begun = vkBeginCommandBuffer(buffer, &begin);
        if (begun != VK_SUCCESS) return begun;
        vkCmdUpdateBuffer(buffer, words.buffer, 0, sizeof(data), data);
        vkCmdFillBuffer(buffer, words.buffer, 0, 8, 1);
        return vkEndCommandBuffer(buffer);
    };
    EXPECT_GT(failures(record), 1);
}

TEST_F(Allocations, OfPrograms) {
#ifdef COOPVK_SANITIZED
    GTEST_SKIP() << "SPIRV-Tools does not free what it has when memory fails";
#endif
    Layout layout(device, {binding(0, kStorage)});
    const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0,
                                        sizeof(kSizeWords), kSizeWords};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.layout = layout.pipelines;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &code, 0,
                  VK_SHADER_STAGE_COMPUTE_BIT};
    info.stage.pName = "main";
    VkPipeline pipeline = VK_NULL_HANDLE;
    // SPIRV-Tools makes some tables once, and not again if there is no memory.
    EXPECT_VK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    vkDestroyPipeline(device, pipeline, nullptr);
    EXPECT_GT(failures([&] {
                  return vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr,
                                                  &pipeline);
              }),
              100);
    vkDestroyPipeline(device, pipeline, nullptr);
    takeMessages();  // some: of the program for which there was no memory
}

}  // namespace
}  // namespace coopvk::reference::test::allocation_test
