// SPDX-License-Identifier: Apache-2.0
//
// shaderFloat16, which is in two structures, with a driver that lacks it: what programs see, and
// what the driver gets.
#include <gtest/gtest.h>

#include <cstdlib>

#include "device/policy.hpp"
#include "fakes/fake_driver.hpp"

namespace coopvk::test::half_floats_test {
namespace {

constexpr const char* kName = VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME;
constexpr auto kSingle = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
constexpr auto k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;

class HalfFloats : public testing::TestWithParam<const char*> {
 protected:
    HalfFloats() {
        driver.features.reset(static_cast<size_t>(layer::Feature::kShaderFloat16));
        driver.extensions = {kName};
    }
    ~HalfFloats() override { unsetenv("COOPVK_EMULATE"); }
    void begin(const char* emulate) {
        setenv("COOPVK_EMULATE", emulate, 1);
        driver.makeInstance();
    }
    template <typename T>
    T features(VkStructureType type) {
        T node = {type};
        VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &node};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
        return node;
    }
    template <typename T>
    T properties(VkStructureType type) {
        T node = {type};
        node.shaderDenormPreserveFloat16 = node.shaderRoundingModeRTEFloat16 = VK_TRUE;
        node.shaderDenormPreserveFloat32 = VK_TRUE;
        node.shaderSignedZeroInfNanPreserveFloat32 = VK_TRUE;
        VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &node};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceProperties2)(driver.physical(), &all);
        return node;
    }

    FakeDriver driver;
};

TEST_P(HalfFloats, AreInBothStructures) {
    begin(GetParam());
    const auto single = features<VkPhysicalDeviceShaderFloat16Int8Features>(kSingle);
    EXPECT_TRUE(single.shaderFloat16);
    EXPECT_TRUE(single.shaderInt8) << "the driver's own";
    EXPECT_TRUE(features<VkPhysicalDeviceVulkan12Features>(k12).shaderFloat16);
}

INSTANTIATE_TEST_SUITE_P(Settings, HalfFloats,
                         testing::Values("all", "VK_KHR_shader_float16_int8",
                                         "VK_NV_cooperative_vector"));

TEST_F(HalfFloats, NotInAuto) {
    begin("auto");
    EXPECT_FALSE(features<VkPhysicalDeviceShaderFloat16Int8Features>(kSingle).shaderFloat16);
    EXPECT_FALSE(features<VkPhysicalDeviceVulkan12Features>(k12).shaderFloat16);
}

// Of 16 bits, nothing is promised but what emulation in f32 keeps; the driver's others stay.
TEST_F(HalfFloats, FloatControls) {
    begin(kName);
    const auto single = properties<VkPhysicalDeviceFloatControlsProperties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
    EXPECT_FALSE(single.shaderDenormPreserveFloat16 || single.shaderRoundingModeRTEFloat16);
    EXPECT_TRUE(single.shaderDenormPreserveFloat32);
    EXPECT_TRUE(single.shaderSignedZeroInfNanPreserveFloat16);
    const auto all = properties<VkPhysicalDeviceVulkan12Properties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
    EXPECT_FALSE(all.shaderDenormPreserveFloat16 || all.shaderRoundingModeRTEFloat16);
    EXPECT_TRUE(all.shaderDenormPreserveFloat32);
    EXPECT_TRUE(all.shaderSignedZeroInfNanPreserveFloat16);
}

TEST_F(HalfFloats, NothingOfTheDriversIsUsed) {
    rewrite::DeviceTraits traits;
    traits.shaderFloat16 = traits.shaderMixedFloatDotProductFloat16AccFloat32 = true;
    layer::emulateHalves(traits);
    EXPECT_TRUE(traits.emulatesFloat16);
    EXPECT_FALSE(traits.shaderFloat16 || traits.shaderMixedFloatDotProductFloat16AccFloat32);
}

TEST_F(HalfFloats, TheDriverIsNotAskedForThem) {
    begin(kName);
    VkPhysicalDeviceVulkan12Features v12 = {k12};
    v12.shaderFloat16 = v12.shaderInt8 = VK_TRUE;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &v12};
    VkDevice device = VK_NULL_HANDLE;
    ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    constexpr size_t kHalf =
        (offsetof(VkPhysicalDeviceVulkan12Features, shaderFloat16) - sizeof(VkBaseInStructure)) /
        sizeof(VkBool32);
    const auto& seen = driver.device.features.at(k12);
    EXPECT_FALSE(seen[kHalf]);
    EXPECT_TRUE(seen[kHalf + 1]) << "shaderInt8";
    EXPECT_TRUE(driver.device.coreFeatures.shaderInt16);
    driver.destroyDevice(device);
}

}  // namespace
}  // namespace coopvk::test::half_floats_test
