// SPDX-License-Identifier: Apache-2.0
//
// VK_NV_cuda_kernel_launch, which is listed only.
#include "device/taken_for_fixture.hpp"

namespace coopvk::test::cuda_launch_test {
namespace {

using CudaLaunch = TakenFor;

TEST_F(CudaLaunch, CannotBeEnabled) {
    setenv("COOPVK_AS", "nvidia", 1);
    driver.makeInstance();
    VkPhysicalDeviceCudaKernelLaunchFeaturesNV cuda = {kCudaFeatures, nullptr, VK_TRUE};
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &cuda};
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &kCudaLaunch;
    testing::internal::CaptureStderr();
    EXPECT_EQ(driver.makeDevice(info, &device), VK_ERROR_FEATURE_NOT_PRESENT);
    EXPECT_NE(testing::internal::GetCapturedStderr().find(kCudaLaunch), std::string::npos);
    device = VK_NULL_HANDLE;
}

// Its commands are there, and do no harm.
TEST_F(CudaLaunch, CommandsFail) {
    startAs("nvidia", {kCudaLaunch});
    const auto create = COOPVK_DEVICE_COMMAND(driver, device, vkCreateCudaModuleNV);
    const auto function = COOPVK_DEVICE_COMMAND(driver, device, vkCreateCudaFunctionNV);
    const auto cache = COOPVK_DEVICE_COMMAND(driver, device, vkGetCudaModuleCacheNV);
    const auto destroy = COOPVK_DEVICE_COMMAND(driver, device, vkDestroyCudaModuleNV);
    const auto destroyFunction = COOPVK_DEVICE_COMMAND(driver, device, vkDestroyCudaFunctionNV);
    ASSERT_TRUE(create && function && cache && destroy && destroyFunction);
    ASSERT_NE(driver.deviceCommand(device, "vkCmdCudaLaunchKernelNV"), nullptr);
    EXPECT_NE(driver.instanceCommand("vkCreateCudaModuleNV"), nullptr);
    testing::internal::CaptureStderr();
    const char code[] = "ptx";
    VkCudaModuleCreateInfoNV info = {VK_STRUCTURE_TYPE_CUDA_MODULE_CREATE_INFO_NV, nullptr,
                                     sizeof(code), code};
    auto module = reinterpret_cast<VkCudaModuleNV>(uintptr_t{1});
    EXPECT_EQ(create(device, &info, nullptr, &module), VK_ERROR_INITIALIZATION_FAILED);
    EXPECT_EQ(module, VkCudaModuleNV(VK_NULL_HANDLE));
    VkCudaFunctionCreateInfoNV functionInfo = {VK_STRUCTURE_TYPE_CUDA_FUNCTION_CREATE_INFO_NV};
    VkCudaFunctionNV kernel = VK_NULL_HANDLE;
    EXPECT_EQ(function(device, &functionInfo, nullptr, &kernel), VK_ERROR_INITIALIZATION_FAILED);
    size_t size = 5;
    EXPECT_EQ(cache(device, module, &size, nullptr), VK_ERROR_INITIALIZATION_FAILED);
    EXPECT_EQ(size, 0u);
    destroy(device, VK_NULL_HANDLE, nullptr);
    destroyFunction(device, VK_NULL_HANDLE, nullptr);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("vkCreateCudaModuleNV"),
              std::string::npos);
}

TEST_F(CudaLaunch, HasNoCommandsElsewhere) {
    startAs("own");
    EXPECT_EQ(driver.deviceCommand(device, "vkCreateCudaModuleNV"), nullptr);
    EXPECT_EQ(driver.instanceCommand("vkCreateCudaModuleNV"), nullptr);
}

}  // namespace
}  // namespace coopvk::test::cuda_launch_test
