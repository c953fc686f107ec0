// SPDX-License-Identifier: Apache-2.0
//
// Drivers that report features of extensions that they do not list, as RADV does with
// VK_NV_cooperative_matrix2 if it has no matrices.
#include <gtest/gtest.h>

#include <cstdlib>

#include "fakes/fake_driver.hpp"

namespace coopvk::test::unlisted_features_test {
namespace {

constexpr auto kMatrix2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV;

class UnlistedFeatures : public testing::Test {
 protected:
    UnlistedFeatures() { setenv("COOPVK_EMULATE", VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, 1); }
    ~UnlistedFeatures() override { unsetenv("COOPVK_EMULATE"); }

    // The driver's matrices, which are not shown either.
    void haveMatrices() {
        driver.extensions = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};
        driver.moreFeatures[VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR] = {
            VK_TRUE, VK_TRUE};
    }
    VkResult askFor(VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2) {
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &matrix2};
        VkDevice device = VK_NULL_HANDLE;
        testing::internal::CaptureStderr();
        const VkResult result = driver.makeDevice(info, &device);
        testing::internal::GetCapturedStderr();
        if (device != VK_NULL_HANDLE) driver.destroyDevice(device);
        return result;
    }
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV shown() {
        VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2 = {kMatrix2};
        VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &matrix2};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
        return matrix2;
    }

    FakeDriver driver;
};

// Emulated matrices have none of these features, so they are not reported. A program that enables
// them anyway, as it can without coopvk, can also do so with coopvk.
TEST_F(UnlistedFeatures, AreNotShownNorRefused) {
    haveMatrices();
    driver.moreFeatures[kMatrix2] = std::vector<VkBool32>(7, VK_TRUE);
    driver.makeInstance();
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2 = shown();
    EXPECT_FALSE(matrix2.cooperativeMatrixReductions);
    matrix2.cooperativeMatrixReductions = VK_TRUE;
    EXPECT_EQ(askFor(matrix2), VK_SUCCESS);
    EXPECT_TRUE(driver.device.features.contains(kMatrix2));
}

// If coopvk emulates them, the driver need not enable them.
TEST_F(UnlistedFeatures, AreEmulated) {
    setenv("COOPVK_EMULATE", "all", 1);
    driver.moreFeatures[kMatrix2] = std::vector<VkBool32>(7, VK_TRUE);
    driver.makeInstance();
    const VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2 = shown();
    EXPECT_TRUE(matrix2.cooperativeMatrixReductions);
    EXPECT_EQ(askFor(matrix2), VK_SUCCESS);
    EXPECT_FALSE(driver.device.features.contains(kMatrix2));
}

TEST_F(UnlistedFeatures, ListedOnesAreRefused) {
    haveMatrices();
    driver.extensions.push_back(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
    driver.makeInstance();
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2 = {kMatrix2};
    EXPECT_EQ(askFor(matrix2), VK_SUCCESS) << "asks for none";
    matrix2.cooperativeMatrixReductions = VK_TRUE;
    EXPECT_EQ(askFor(matrix2), VK_ERROR_FEATURE_NOT_PRESENT);
}

}  // namespace
}  // namespace coopvk::test::unlisted_features_test
