// SPDX-License-Identifier: Apache-2.0
#include "device/split_barrier.hpp"

#include <gtest/gtest.h>

#include "fakes/fake_driver.hpp"
#include "objects/context.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer::split_barrier_test {
namespace {

#ifdef VK_EXT_shader_split_barrier

void getProperties2(VkPhysicalDevice, VkPhysicalDeviceProperties2* properties) {
    auto* node = static_cast<VkPhysicalDeviceShaderSplitBarrierPropertiesEXT*>(properties->pNext);
    ASSERT_NE(node, nullptr);
    ASSERT_EQ(node->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SPLIT_BARRIER_PROPERTIES_EXT);
    node->splitBarrierReservedSharedMemory = 4096;
}

TEST(SplitBarrier, DriversReserveSharedMemory) {
    DeviceQueries queries;
    queries.getProperties2 = getProperties2;
    DeviceFacts facts;
    EXPECT_EQ(splitBarrierSharedMemory(queries, nullptr, facts), 0u);
    facts.extensions = {{VK_EXT_SHADER_SPLIT_BARRIER_EXTENSION_NAME, 1}};
    EXPECT_EQ(splitBarrierSharedMemory(queries, nullptr, facts), 4096u);
}

TEST(SplitBarrier, RewriterKnowsWhatIsReserved) {
    for (const bool isListed : {false, true}) {
        test::FakeDriver driver;
        if (isListed) driver.extensions.push_back(VK_EXT_SHADER_SPLIT_BARRIER_EXTENSION_NAME);
        driver.makeInstance();
        const VkPhysicalDevice device = driver.physical();
        const DeviceFacts& facts = instances().find(device)->physicalDevice(device).facts;
        EXPECT_EQ(facts.traits.splitBarrierSharedMemory, isListed ? 4096u : 0u);
    }
}

#endif

}  // namespace
}  // namespace coopvk::layer::split_barrier_test
