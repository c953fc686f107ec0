// SPDX-License-Identifier: Apache-2.0
//
// What the setting `auto` offers to a driver that has matrices of its own, and how it computes
// that: on a CPU, on a driver that has a part of VK_NV_cooperative_matrix2, and on one that has
// VK_KHR_cooperative_matrix only. No program must become slower by what it finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "device/extension_rows.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test::auto_test {
namespace {

using rewrite::Extension;

constexpr auto kKhrFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
constexpr auto kMatrix2Features =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV;
constexpr const char* kKhr = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
constexpr const char* kMatrix2 = VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME;
// Reductions, conversions and per-element operations, which several drivers have.
constexpr uint32_t kPart = 0b11100;

// Sizes that no specialization changes.
Words fixedModule(uint32_t size) {
    std::string text = multiplyModule(size, size, size);
    const std::string_view decoration = "OpDecorate %rows SpecId 0\n", spec = "OpSpecConstant";
    text.erase(text.find(decoration), decoration.size());
    text.replace(text.find(spec), spec.size(), "OpConstant");
    return assemble(text);
}

class Auto : public ShaderRoutes {
 protected:
    Auto() { stop(); }

    // A driver with matrices of 8x8x8, and with these features of VK_NV_cooperative_matrix2.
    void startWith(uint32_t matrix2, const char* emulate = "auto") {
        driver.extensions = {kKhr};
        if (matrix2 != 0) driver.extensions.emplace_back(kMatrix2);
        driver.moreFeatures[kKhrFeatures] = {VK_TRUE, VK_FALSE};
        driver.moreFeatures[kMatrix2Features].clear();
        for (int i = 0; i < 7; ++i) {
            driver.moreFeatures[kMatrix2Features].push_back(matrix2 >> i & 1u);
        }
        VkCooperativeMatrixPropertiesKHR shape = {
            VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
        shape.MSize = shape.NSize = shape.KSize = 8;
        shape.AType = shape.BType = VK_COMPONENT_TYPE_FLOAT16_KHR;
        shape.CType = shape.ResultType = VK_COMPONENT_TYPE_FLOAT32_KHR;
        shape.scope = VK_SCOPE_SUBGROUP_KHR;
        driver.matrixShapes = {shape};
        setenv("COOPVK_EMULATE", emulate, 1);
        driver.makeInstance();
    }
    // With every feature of VK_NV_cooperative_matrix2 that is offered.
    void makeEverything() {
        VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2 = shown();
        VkPhysicalDeviceCooperativeMatrixFeaturesKHR features = {kKhrFeatures, &matrix2, VK_TRUE,
                                                                 VK_FALSE};
        const char* names[] = {kKhr, kMatrix2};
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
        info.enabledExtensionCount = lists(kMatrix2) ? 2 : 1;
        info.ppEnabledExtensionNames = names;
        ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    }
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV shown() {
        VkPhysicalDeviceCooperativeMatrix2FeaturesNV node = {kMatrix2Features};
        VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &node};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
        node.pNext = nullptr;
        return node;
    }
    uint32_t shownMatrix2() {
        const auto node = shown();
        return layer::extensionRow(Extension::kNvCooperativeMatrix2).read(&node);
    }
    bool lists(std::string_view name) {
        uint32_t count = 0;
        const auto command = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties);
        command(driver.physical(), nullptr, &count, nullptr);
        std::vector<VkExtensionProperties> all(count);
        command(driver.physical(), nullptr, &count, all.data());
        return std::ranges::any_of(all, [&](const auto& one) { return name == one.extensionName; });
    }
    std::vector<VkCooperativeMatrixPropertiesKHR> shapes() {
        const auto command =
            COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR);
        uint32_t count = 0;
        command(driver.physical(), &count, nullptr);
        std::vector<VkCooperativeMatrixPropertiesKHR> all(count);
        command(driver.physical(), &count, all.data());
        return all;
    }
    // The driver's rows, and behind them only formats that the driver has no rows of.
    void expectOwnShapes() {
        const auto all = shapes();
        ASSERT_GE(all.size(), 1u);
        EXPECT_EQ(all[0].MSize, 8u);
        for (size_t i = 0; i < all.size(); ++i) {
            EXPECT_EQ(all[i].AType == VK_COMPONENT_TYPE_BFLOAT16_KHR, i > 0) << i;
            EXPECT_EQ(all[i].AType == VK_COMPONENT_TYPE_FLOAT16_KHR, i == 0) << i;
        }
    }
    // "native", "tiles" or "core".
    std::string fateOf(const Words& words) {
        EXPECT_EQ(makeCompute(stageOf(makeModule(words))), VK_SUCCESS);
        if (last().words == words) return "native";
        const std::string text = rewrite::disassemble(last().words);
        return text.find("OpTypeCooperativeMatrixKHR") == text.npos ? "core" : "tiles";
    }
};

TEST_F(Auto, BesideMatricesAlone) {
    startWith(0);
    expectOwnShapes();
    for (const char* name : {"VK_NV_cooperative_matrix2", "VK_NV_cooperative_matrix_decode_vector",
                             "VK_EXT_cooperative_matrix_maintenance1", "VK_EXT_shader_float8"}) {
        EXPECT_FALSE(lists(name)) << name;
    }
    for (const char* name : {"VK_NV_cooperative_matrix", "VK_KHR_shader_bfloat16"}) {
        EXPECT_TRUE(lists(name)) << name;
    }
    makeEverything();
    EXPECT_EQ(fateOf(fixedModule(8)), "native");
}

TEST_F(Auto, BesideAPartOfMatrix2) {
    startWith(kPart);
    EXPECT_EQ(shownMatrix2(), kPart);
    expectOwnShapes();
    uint32_t count = 0;
    EXPECT_EQ(COOPVK_INSTANCE_COMMAND(
                  driver, vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV)(
                  driver.physical(), &count, nullptr),
              VK_SUCCESS);
    EXPECT_EQ(count, 0u);
    makeEverything();
    EXPECT_EQ(fateOf(fixedModule(8)), "native");
}

TEST_F(Auto, CompletesMatrix2ByName) {
    startWith(kPart, "auto,VK_NV_cooperative_matrix2");
    EXPECT_EQ(shownMatrix2() & 63u, 63u) << "all but block loads, which need buffer addresses";
    makeEverything();
    EXPECT_EQ(fateOf(fixedModule(8)), "native");
    EXPECT_EQ(fateOf(fixedModule(16)), "tiles");
}

TEST_F(Auto, OffersFloat8ByName) {
    startWith(0, "auto,VK_EXT_shader_float8");
    EXPECT_TRUE(lists("VK_EXT_shader_float8"));
    EXPECT_TRUE(lists("VK_KHR_shader_bfloat16"));
    const auto all = shapes();
    EXPECT_TRUE(std::ranges::any_of(
        all, [](const auto& shape) { return shape.AType == VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT; }));
    EXPECT_EQ(all[0].AType, VK_COMPONENT_TYPE_FLOAT16_KHR) << "the driver's own come first";
}

// CPUs compute a driver's matrices more slowly than core SPIR-V, and take minutes to compile them.
TEST_F(Auto, TakesCoreOnACpu) {
    driver.deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
    startWith(0);
    expectOwnShapes();
    makeEverything();
    EXPECT_EQ(fateOf(fixedModule(8)), "native") << "nothing is emulated here";
    stop();
    startWith(kPart, "auto,VK_NV_cooperative_matrix2");
    makeEverything();
    EXPECT_EQ(fateOf(fixedModule(8)), "native");
    EXPECT_EQ(fateOf(fixedModule(16)), "core");
    stop();
    setenv("COOPVK_BACK_END", "native", 1);
    startWith(0);
    EXPECT_GT(shapes().size(), 1u);
    makeEverything();
    EXPECT_EQ(fateOf(fixedModule(16)), "tiles");
    unsetenv("COOPVK_BACK_END");
}

}  // namespace
}  // namespace coopvk::test::auto_test
