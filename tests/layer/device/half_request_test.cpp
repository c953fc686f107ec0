// SPDX-License-Identifier: Apache-2.0
//
// The arguments of vkCreateDevice for a driver without shaderFloat16.
#include "request_fixture.hpp"

namespace coopvk::layer::half_request_test {
namespace {

// The feature is in two structures, and shaderInt8 stays the driver's.
class HalfRequest : public Request {
 protected:
    HalfRequest() {
        auto& halves = device.decisions[static_cast<size_t>(kHalves)];
        halves = {.provision = Provision::kEmulated, .native = 0b10, .added = 0b01};
        device.emulated.insert(kHalves);
        device.facts.features.reset(static_cast<size_t>(Feature::kShaderFloat16));
    }
    static constexpr auto kHalves = rewrite::Extension::kKhrShaderFloat16Int8;
};

TEST_F(HalfRequest, TakesTheFeatureFromBothStructures) {
    names = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
    device.facts.extensions = {{VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, 1}};
    VkPhysicalDeviceShaderFloat16Int8Features single = {kFloat16};
    single.shaderFloat16 = single.shaderInt8 = VK_TRUE;
    VkPhysicalDeviceVulkan12Features v12 = {k12};
    v12.shaderFloat16 = v12.shaderInt8 = v12.scalarBlockLayout = VK_TRUE;
    for (void* chain : {static_cast<void*>(&single), static_cast<void*>(&v12)}) {
        info.pNext = chain;
        const DeviceRequest request = make();
        EXPECT_EQ(request.result, VK_SUCCESS) << request.message;
        EXPECT_TRUE(request.emulated.contains(kHalves));
        EXPECT_TRUE(lists(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME)) << "the driver's shaderInt8";
        EXPECT_TRUE(request.info.pEnabledFeatures->shaderInt16);
        if (const auto* node =
                findNode<VkPhysicalDeviceShaderFloat16Int8Features>(request.info.pNext, kFloat16)) {
            EXPECT_FALSE(node->shaderFloat16);
            EXPECT_TRUE(node->shaderInt8);
        } else {
            const auto* below = findNode<VkPhysicalDeviceVulkan12Features>(request.info.pNext, k12);
            ASSERT_NE(below, nullptr);
            EXPECT_FALSE(below->shaderFloat16);
            EXPECT_TRUE(below->shaderInt8 && below->scalarBlockLayout);
        }
    }
    EXPECT_TRUE(single.shaderFloat16 && v12.shaderFloat16) << "the application's own memory";
}

// For programs that enable only shaderInt8, nothing changes.
TEST_F(HalfRequest, OnlyWhereTheFeatureIsAskedFor) {
    names = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
    VkPhysicalDeviceShaderFloat16Int8Features single = {kFloat16};
    single.shaderInt8 = VK_TRUE;
    info.pNext = &single;
    const DeviceRequest request = make();
    EXPECT_TRUE(request.emulated.empty());
    const auto* node =
        findNode<VkPhysicalDeviceShaderFloat16Int8Features>(request.info.pNext, kFloat16);
    ASSERT_NE(node, nullptr);
    EXPECT_TRUE(node->shaderInt8);
}

// From version 1.2 on, drivers always have the feature structure.
TEST_F(HalfRequest, NamesOnlyWhatTheDriverLists) {
    names = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
    VkPhysicalDeviceShaderFloat16Int8Features single = {kFloat16};
    single.shaderFloat16 = single.shaderInt8 = VK_TRUE;
    info.pNext = &single;
    EXPECT_EQ(make().result, VK_SUCCESS);
    EXPECT_FALSE(lists(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME));
}

// The code of matrices has half floats.
TEST_F(HalfRequest, ComesWithWhatNeedsIt) { EXPECT_TRUE(make().emulated.contains(kHalves)); }

}  // namespace
}  // namespace coopvk::layer::half_request_test
