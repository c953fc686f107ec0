// SPDX-License-Identifier: Apache-2.0
//
// What the device reports, and further devices besides the one that the other tests share.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "harness/other_device.hpp"
#include "harness/requirement.hpp"
#include "harness/samples.hpp"

namespace coopvk::test::device_test {
namespace {

// VK_KHR_cooperative_matrix needs only its feature and the memory model.
TEST(Devices, BesideEachOther) {
    OtherDevice with(true), without(false), again(true);
    const Words sum = scaledSum(50);
    EXPECT_EQ(with.makePipeline(sum), VK_SUCCESS);
    EXPECT_EQ(again.makePipeline(sum), VK_SUCCESS);
    EXPECT_EQ(without.makePipeline(plain()), VK_SUCCESS);
    EXPECT_EQ(with.makePipeline(plain()), VK_SUCCESS);
    expectValue(sum);
}

TEST(Devices, StagesAndFeatures) {
    const Context& context = Context::get();
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR matrix{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &matrix};
    vkGetPhysicalDeviceProperties2(context.physical, &properties);
    EXPECT_TRUE(matrix.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT);
    EXPECT_TRUE(context.features.cooperativeMatrix.cooperativeMatrix);
    EXPECT_EQ(std::count(context.extensions.begin(), context.extensions.end(),
                         VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME),
              1);
}

// Many instances with two devices each, made, used and destroyed by many threads at once.
TEST(Devices, ManyInstancesAtOnce) {
    constexpr uint32_t kThreads = 4, kRounds = 2;
    const Words sum = scaledSum(51), other = plain();
    std::atomic<uint32_t> made = 0;
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&] {
            try {
                for (uint32_t r = 0; r < kRounds; ++r) {
                    const OtherInstance instance;
                    OtherDevice with(true, instance.physical(), instance.table().vkCreateDevice);
                    OtherDevice without(false, instance.physical(),
                                        instance.table().vkCreateDevice);
                    made += with.makePipeline(sum) == VK_SUCCESS;
                    made += with.makePipeline(other) == VK_SUCCESS;
                    made += without.makePipeline(other) == VK_SUCCESS;
                }
            } catch (const std::exception& error) {
                ADD_FAILURE() << error.what();
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(made, kThreads * kRounds * 3);
    expectValue(sum);
}

// Counts allocations, and checks that only allocated memory is freed.
class CountingAllocator {
 public:
    CountingAllocator() : callbacks{this, allocate, reallocate, free, nullptr, nullptr} {}
    size_t live() const { return live_.size(); }
    size_t total() const { return total_; }
    bool sawForeign() const { return foreign_; }

    const VkAllocationCallbacks callbacks;

 private:
    static CountingAllocator& self(void* user) { return *static_cast<CountingAllocator*>(user); }
    static void* VKAPI_CALL allocate(void* user, size_t size, size_t alignment,
                                     VkSystemAllocationScope) {
        const size_t align = std::max(alignment, sizeof(void*));
        void* memory = std::aligned_alloc(align, (size + align - 1) / align * align);
        const std::lock_guard lock(self(user).mutex_);
        self(user).live_[memory] = size;
        ++self(user).total_;
        return memory;
    }
    static void* VKAPI_CALL reallocate(void* user, void* old, size_t size, size_t alignment,
                                       VkSystemAllocationScope scope) {
        if (size == 0) {
            free(user, old);
            return nullptr;
        }
        void* memory = allocate(user, size, alignment, scope);
        if (old == nullptr) return memory;
        size_t before = 0;
        {
            const std::lock_guard lock(self(user).mutex_);
            before = self(user).live_[old];
        }
        std::copy_n(static_cast<std::byte*>(old), std::min(before, size),
                    static_cast<std::byte*>(memory));
        free(user, old);
        return memory;
    }
    static void VKAPI_CALL free(void* user, void* memory) {
        if (memory == nullptr) return;
        const std::lock_guard lock(self(user).mutex_);
        if (self(user).live_.erase(memory) == 0) {
            self(user).foreign_ = true;
            return;
        }
        std::free(memory);
    }

    std::mutex mutex_;
    std::map<void*, size_t> live_;
    size_t total_ = 0;
    bool foreign_ = false;
};

// All that a device, its modules and pipelines allocate is freed by the same callbacks.
TEST(Devices, AllocationCallbacks) {
    CountingAllocator allocator;
    {
        OtherDevice device(true, Context::get().physical, vkCreateDevice, &allocator.callbacks);
        EXPECT_EQ(device.makePipeline(scaledSum(53)), VK_SUCCESS);
        EXPECT_EQ(device.makePipeline(plain()), VK_SUCCESS);
    }
    EXPECT_GT(allocator.total(), 0u);
    EXPECT_EQ(allocator.live(), 0u);
    EXPECT_FALSE(allocator.sawForeign());
}

// A native extension that needs native matrices is hidden while these are emulated. If the
// extension is listed, it is completely coopvk's.
TEST(Devices, NothingRestsOnNativeMatrices) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Context& context = Context::get();
    EXPECT_TRUE(context.has(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME));
    EXPECT_TRUE(context.has(VK_EXT_TOOLING_INFO_EXTENSION_NAME));
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV};
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features};
    vkGetPhysicalDeviceFeatures2(context.physical, &all);
    EXPECT_TRUE(features.cooperativeMatrixWorkgroupScope);
    EXPECT_TRUE(features.cooperativeMatrixTensorAddressing);
}

// An array that is too small is filled completely, and the result is VK_INCOMPLETE.
TEST(Devices, ShortQueries) {
    const Context& context = Context::get();
    uint32_t count = 1;
    VkCooperativeMatrixPropertiesKHR shape{VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    EXPECT_EQ(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(context.physical, &count, &shape),
              context.shapes.size() > 1 ? VK_INCOMPLETE : VK_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(shape.MSize, context.shapes[0].MSize);
    EXPECT_EQ(shape.AType, context.shapes[0].AType);
    VkExtensionProperties extension{};
    EXPECT_EQ(vkEnumerateDeviceExtensionProperties(context.physical, nullptr, &count, &extension),
              VK_INCOMPLETE);
    EXPECT_EQ(count, 1u);
}

}  // namespace
}  // namespace coopvk::test::device_test
