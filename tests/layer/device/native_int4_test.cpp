// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers above a driver that has them. No registered extension enables them, so the driver
// reports the layer's own extension, VK_COOPVK_shader_int4, with its feature structure.
#include <gtest/gtest.h>

#include <algorithm>

#include "assemble.hpp"
#include "coopvk/vulkan_coopvk.h"
#include "fakes/shader_routes.hpp"

namespace coopvk::test::native_int4_test {
namespace {

constexpr const char* kName = VK_COOPVK_SHADER_INT4_EXTENSION_NAME;
constexpr VkStructureType kType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK;

// A 4-bit number in a buffer becomes another one.
Words int4Shader() {
    return assemble(R"(
OpCapability Shader
OpCapability Int4TypeINTEL
OpExtension "SPV_INTEL_int4"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u4 = OpTypeInt 4 0
%u4x2 = OpTypeVector %u4 2
%zero = OpConstant %u32 0
%array = OpTypeRuntimeArray %u4x2
%block = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %block
%pair = OpTypePointer StorageBuffer %u4x2
%out = OpVariable %pointer StorageBuffer
%main = OpFunction %void None %f
%label = OpLabel
%at = OpAccessChain %pair %out %zero %zero
%old = OpLoad %u4x2 %at
%new = OpVectorShuffle %u4x2 %old %old 1 0
OpStore %at %new
OpReturn
OpFunctionEnd
)");
}

class NativeInt4 : public ShaderRoutes {
 protected:
    // A device with 4-bit integers enabled, above a driver with or without its own.
    void startWith(const char* emulate, bool native) {
        stop();
        driver.createdModules.clear();
        driver.extensions.clear();
        driver.moreFeatures.clear();
        if (native) {
            driver.extensions = {kName};
            driver.moreFeatures[kType] = {VK_TRUE, VK_TRUE};
            driver.int4Shapes = 2;
        }
        setenv("COOPVK_EMULATE", emulate, 1);
        driver.makeInstance();
        VkPhysicalDeviceShaderInt4FeaturesCOOPVK features = {kType, nullptr, VK_TRUE, VK_FALSE};
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &kName;
        ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    }

    bool listedOnce() {
        uint32_t count = 0;
        const auto list = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties);
        list(driver.physical(), nullptr, &count, nullptr);
        std::vector<VkExtensionProperties> all(count);
        list(driver.physical(), nullptr, &count, all.data());
        return std::ranges::count_if(all, [](const VkExtensionProperties& one) {
                   return std::string_view(one.extensionName) == kName;
               }) == 1;
    }

    std::vector<VkCooperativeMatrixInt4PropertiesCOOPVK> shapes() {
        const auto query =
            reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK>(
                driver.instanceCommand("vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK"));
        uint32_t count = 0;
        EXPECT_EQ(query(driver.physical(), &count, nullptr), VK_SUCCESS);
        std::vector<VkCooperativeMatrixInt4PropertiesCOOPVK> all(
            count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_INT4_PROPERTIES_COOPVK});
        EXPECT_EQ(query(driver.physical(), &count, all.data()), VK_SUCCESS);
        return all;
    }

    void expectUntouched() {
        EXPECT_EQ(makeCompute(stageOf(makeModule(int4))), VK_SUCCESS);
        EXPECT_EQ(driver.createdModules, (std::vector<Words>{int4}));
        EXPECT_EQ(last().words, int4);
        EXPECT_EQ(std::ranges::count(driver.device.extensions, kName), 1);
        EXPECT_EQ(std::ranges::count(driver.device.chain, kType), 1);
        EXPECT_TRUE(listedOnce());
        ASSERT_EQ(shapes().size(), 2u);
        EXPECT_EQ(shapes()[0].MSize, 123u) << "the driver's own answer";
    }

    void expectRewritten() {
        EXPECT_EQ(makeCompute(stageOf(makeModule(int4))), VK_SUCCESS);
        EXPECT_TRUE(isRewritten(last().words));
        EXPECT_EQ(std::ranges::count(driver.device.extensions, kName), 0);
        EXPECT_EQ(std::ranges::count(driver.device.chain, kType), 0);
        EXPECT_TRUE(listedOnce());
        ASSERT_GT(shapes().size(), 2u);
        EXPECT_NE(shapes()[0].MSize, 123u) << "the layer's own answer";
    }

    const Words int4 = int4Shader();
};

TEST_F(NativeInt4, StaysInAuto) {
    startWith("auto", true);
    expectUntouched();
}

TEST_F(NativeInt4, StaysWhereOthersAreNamed) {
    startWith("VK_KHR_cooperative_matrix,VK_COOPVK_shader_2d_block_io", true);
    expectUntouched();
}

TEST_F(NativeInt4, GoesWhereAllOrItIsNamed) {
    for (const char* emulate : {"all", kName}) {
        SCOPED_TRACE(emulate);
        startWith(emulate, true);
        expectRewritten();
    }
}

TEST_F(NativeInt4, ComesWhereTheDriverHasNone) {
    startWith("auto", false);
    expectRewritten();
    // What the output needs is asked for: vectors may lie where only a scalar layout has them.
    const auto scalar = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES;
    ASSERT_TRUE(driver.device.features.contains(scalar));
    EXPECT_TRUE(driver.device.features[scalar].at(0));
}

}  // namespace
}  // namespace coopvk::test::native_int4_test
