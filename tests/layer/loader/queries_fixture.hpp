// SPDX-License-Identifier: Apache-2.0
//
// A fixture of tests that ask the layer what instances and physical devices have.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "fakes/fake_driver.hpp"

namespace coopvk::test {

inline constexpr const char* kMatrixName = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
inline constexpr auto kMatrixType =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;

class Queries : public testing::Test {
 protected:
    Queries() {
        setenv("COOPVK_EMULATE", "auto", 1);
        setenv("COOPVK_LOG_LEVEL", "warn", 1);
    }
    ~Queries() override {
        unsetenv("COOPVK_EMULATE");
        unsetenv("COOPVK_LOG_LEVEL");
    }
    void makeNative() {
        driver.extensions.push_back(kMatrixName);
        driver.moreFeatures[kMatrixType] = {VK_TRUE, VK_TRUE};
    }
    std::vector<std::string> list(const char* layerName = nullptr) {
        const auto command = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties);
        uint32_t count = 0;
        EXPECT_EQ(command(driver.physical(), layerName, &count, nullptr), VK_SUCCESS);
        std::vector<VkExtensionProperties> all(count);
        EXPECT_EQ(command(driver.physical(), layerName, &count, all.data()), VK_SUCCESS);
        std::vector<std::string> names;
        for (const auto& extension : all) names.emplace_back(extension.extensionName);
        return names;
    }
    template <typename T>
    T features(VkStructureType type) {
        T node = {type};
        VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &node};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
        return node;
    }
    bool lists(const char* name) { return std::ranges::count(list(), name) == 1; }
    std::vector<std::string> tools(const char* command = "vkGetPhysicalDeviceToolProperties") {
        const auto query = reinterpret_cast<PFN_vkGetPhysicalDeviceToolProperties>(
            driver.instanceCommand(command));
        uint32_t count = 0;
        EXPECT_EQ(query(driver.physical(), &count, nullptr), VK_SUCCESS);
        std::vector<VkPhysicalDeviceToolProperties> all(
            count, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES});
        EXPECT_EQ(query(driver.physical(), &count, all.data()), VK_SUCCESS);
        std::vector<std::string> names;
        for (const auto& tool : all) names.emplace_back(tool.name);
        return names;
    }

    FakeDriver driver;
};

}  // namespace coopvk::test
