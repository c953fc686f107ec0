// SPDX-License-Identifier: Apache-2.0
//
// A fixture of tests of the setting `as`: a device with subgroups of 16 to 64.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fakes/shader_routes.hpp"
#include "objects/registry.hpp"
#include "settings/taken_for.hpp"

namespace coopvk::test {

inline constexpr const char* kSmBuiltins = VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME;
inline constexpr const char* kCudaLaunch = VK_NV_CUDA_KERNEL_LAUNCH_EXTENSION_NAME;
inline constexpr auto kSmFeatures =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV;
inline constexpr auto kCudaFeatures =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUDA_KERNEL_LAUNCH_FEATURES_NV;

class TakenFor : public ShaderRoutes {
 protected:
    TakenFor() {
        stop();
        driver.subgroupSize = 64;
        driver.minSubgroupSize = 16;
        driver.maxSubgroupSize = 64;
    }
    ~TakenFor() override {
        for (const char* name : {"COOPVK_AS", "COOPVK_ELEMENT_LAYOUT", "COOPVK_DEVICE_ID"})
            unsetenv(name);
    }

    // `names`: the extensions of the device. `hasSms`: with shaderSMBuiltins.
    void startAs(const char* as, std::vector<const char*> names = {}, bool hasSms = false) {
        setenv("COOPVK_AS", as, 1);
        testing::internal::CaptureStderr();
        driver.makeInstance();
        VkPhysicalDeviceShaderSMBuiltinsFeaturesNV sms = {kSmFeatures, nullptr, VK_TRUE};
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
        if (hasSms) info.pNext = &sms;
        info.enabledExtensionCount = static_cast<uint32_t>(names.size());
        info.ppEnabledExtensionNames = names.data();
        EXPECT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
        log = testing::internal::GetCapturedStderr();
    }

    const layer::PhysicalDeviceContext& physical() {
        return layer::instances().find(driver.physical())->physicalDevice(driver.physical());
    }
    template <typename Node>
    Node propertiesIn(VkStructureType type, VkPhysicalDeviceProperties* common = nullptr) {
        Node node = {type};
        VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &node};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceProperties2)(driver.physical(), &all);
        if (common != nullptr) *common = all.properties;
        return node;
    }
    template <typename Node>
    Node featuresIn(VkStructureType type) {
        Node node = {type};
        VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &node};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
        return node;
    }
    bool lists(const char* name) {
        const auto command = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties);
        uint32_t count = 0;
        EXPECT_EQ(command(driver.physical(), nullptr, &count, nullptr), VK_SUCCESS);
        std::vector<VkExtensionProperties> all(count);
        EXPECT_EQ(command(driver.physical(), nullptr, &count, all.data()), VK_SUCCESS);
        return std::ranges::any_of(all, [&](const VkExtensionProperties& one) {
            return std::strcmp(one.extensionName, name) == 0;
        });
    }
    uint32_t shownSize() {
        return propertiesIn<VkPhysicalDeviceSubgroupProperties>(
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
            .subgroupSize;
    }

    std::string log;
};

}  // namespace coopvk::test
