// SPDX-License-Identifier: Apache-2.0
//
// A driver with matrices of 8x8x8, to which coopvk adds shapes.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "assemble.hpp"
#include "fakes/shader_routes.hpp"
#include "objects/registry.hpp"

namespace coopvk::test {

inline constexpr const char* kKhr = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
inline constexpr VkStructureType kKhrFeatures =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;

inline VkCooperativeMatrixPropertiesKHR ownShape(VkComponentTypeKHR sums) {
    VkCooperativeMatrixPropertiesKHR shape = {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    shape.MSize = shape.NSize = shape.KSize = 8;
    shape.AType = shape.BType = VK_COMPONENT_TYPE_FLOAT16_KHR;
    shape.CType = shape.ResultType = sums;
    shape.scope = VK_SCOPE_SUBGROUP_KHR;
    return shape;
}

// multiplyModule with sizes that no specialization changes. `more`: instructions at its end.
inline Words fixedModule(uint32_t size, std::string_view more = {}) {
    std::string text = multiplyModule(size, size, size);
    text.insert(text.find("OpReturn"), more);
    const std::string_view decoration = "OpDecorate %rows SpecId 0\n", spec = "OpSpecConstant";
    text.erase(text.find(decoration), decoration.size());
    text.replace(text.find(spec), spec.size(), "OpConstant");
    return assemble(text);
}

class AddedShapes : public ShaderRoutes {
 protected:
    AddedShapes() {
        stop();
        setenv("COOPVK_BACK_END", "native", 1);
        startWith("auto", VK_FALSE);
    }
    ~AddedShapes() override { unsetenv("COOPVK_BACK_END"); }

    void startWith(const char* emulate, VkBool32 flexible) {
        driver.createdModules.clear();
        driver.extensions = {kKhr, VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME};
        driver.moreFeatures[VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV] =
            std::vector<VkBool32>(7, VK_TRUE);
        driver.moreFeatures[kKhrFeatures] = {VK_TRUE, VK_FALSE};
        driver.matrixShapes = {ownShape(VK_COMPONENT_TYPE_FLOAT16_KHR),
                               ownShape(VK_COMPONENT_TYPE_FLOAT32_KHR)};
        setenv("COOPVK_EMULATE", emulate, 1);
        driver.makeInstance();
        VkPhysicalDeviceCooperativeMatrix2FeaturesNV more = {
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV};
        more.cooperativeMatrixFlexibleDimensions = flexible;
        VkPhysicalDeviceCooperativeMatrixFeaturesKHR features = {
            kKhrFeatures, flexible ? &more : nullptr, VK_TRUE, VK_FALSE};
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &kKhr;
        ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    }
    void restartWith(const char* emulate, VkBool32 flexible) {
        stop();
        startWith(emulate, flexible);
    }

    VkResult list(uint32_t& count, VkCooperativeMatrixPropertiesKHR* out) {
        return COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)(
            driver.physical(), &count, out);
    }
    std::vector<VkCooperativeMatrixPropertiesKHR> list() {
        uint32_t count = 0;
        EXPECT_EQ(list(count, nullptr), VK_SUCCESS);
        std::vector<VkCooperativeMatrixPropertiesKHR> shapes(count);
        EXPECT_EQ(list(count, shapes.data()), VK_SUCCESS);
        EXPECT_EQ(count, shapes.size());
        return shapes;
    }
};

inline bool equal(const VkCooperativeMatrixPropertiesKHR& a,
                  const VkCooperativeMatrixPropertiesKHR& b) {
    return a.MSize == b.MSize && a.NSize == b.NSize && a.KSize == b.KSize && a.AType == b.AType &&
           a.BType == b.BType && a.CType == b.CType && a.ResultType == b.ResultType &&
           a.saturatingAccumulation == b.saturatingAccumulation && a.scope == b.scope;
}

}  // namespace coopvk::test
