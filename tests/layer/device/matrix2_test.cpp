// SPDX-License-Identifier: Apache-2.0
//
// VK_NV_cooperative_matrix2 and VK_EXT_cooperative_matrix_maintenance1 with a driver that has
// matrices of its own, and some features of these extensions or none. The driver gets modules that
// use only its features unchanged; all others become core SPIR-V, or tiles.
#include <gtest/gtest.h>

#include <cstdlib>

#include "assemble.hpp"
#include "chain/vulkan_newer.hpp"
#include "coopvk/rewrite.hpp"
#include "device/device_facts.hpp"
#include "device/extension_rows.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test::matrix2_test {
namespace {

using rewrite::Extension;

constexpr auto kKhrFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
constexpr auto kFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV;
constexpr auto kExtFeatures =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_MAINTENANCE_1_FEATURES_EXT;
constexpr const char* kName = VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME;
constexpr const char* kExtName = "VK_EXT_cooperative_matrix_maintenance1";
constexpr const char* kCompleted = "auto,VK_NV_cooperative_matrix2";
constexpr const char* kBoth =
    "auto,VK_NV_cooperative_matrix2,VK_EXT_cooperative_matrix_maintenance1";

// Members of VkPhysicalDeviceCooperativeMatrix2FeaturesNV.
constexpr uint32_t kWorkgroupScope = 1, kFlexible = 2, kReductions = 4, kAll = 127;

// multiplyModule without specialization; its matrices are a workgroup's, or a subgroup's.
std::string moduleText(uint32_t size, bool isOfWorkgroup = false) {
    std::string text = multiplyModule(size, size, size);
    const std::string_view decoration = "OpDecorate %rows SpecId 0\n", spec = "OpSpecConstant";
    text.erase(text.find(decoration), decoration.size());
    text.replace(text.find(spec), spec.size(), "OpConstant");
    for (size_t at = 0; isOfWorkgroup && (at = text.find("KHR %f", at)) != text.npos; ++at) {
        text.replace(text.find("%c3", at), 3, "%c2");
    }
    return text;
}
Words with(std::string text, const char* capability) {
    const bool isExt = std::string_view(capability).ends_with("EXT");
    text.insert(text.find("OpMemoryModel"),
                isExt ? "OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"\n"
                      : "OpExtension \"SPV_NV_cooperative_matrix2\"\n");
    text.insert(text.find("OpExtension"), std::string("OpCapability ") + capability + "\n");
    return assemble(text);
}

class Matrix2 : public ShaderRoutes {
 protected:
    Matrix2() {
        stop();
        driver.limits.maxComputeSharedMemorySize = 32768;
        driver.limits.maxComputeWorkGroupInvocations = 512;
    }

    // A driver with 8x8x8 matrices and these features, and a device with everything that it lists;
    // of VK_EXT_cooperative_matrix_maintenance1 only if `ext` says so.
    void startWith(uint32_t native, bool ext = false, const char* emulate = kCompleted) {
        if (device != VK_NULL_HANDLE) stop();
        driver.extensions = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};
        driver.moreFeatures[kKhrFeatures] = {VK_TRUE, VK_FALSE};
        driver.moreFeatures[kFeatures].clear();
        if (native != 0) driver.extensions.push_back(kName);
        for (int i = 0; i < 7; ++i) driver.moreFeatures[kFeatures].push_back(native >> i & 1u);
        VkCooperativeMatrixPropertiesKHR shape = {
            VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
        shape.MSize = shape.NSize = shape.KSize = 8;
        shape.AType = shape.BType = VK_COMPONENT_TYPE_FLOAT16_KHR;
        shape.CType = shape.ResultType = VK_COMPONENT_TYPE_FLOAT32_KHR;
        shape.scope = VK_SCOPE_SUBGROUP_KHR;
        driver.matrixShapes = {shape};
        setenv("COOPVK_EMULATE", emulate, 1);
        driver.makeInstance();
        VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT maintenance = {kExtFeatures};
        VkPhysicalDeviceCooperativeMatrix2FeaturesNV features = {kFeatures,
                                                                 ext ? &maintenance : nullptr};
        VkPhysicalDeviceCooperativeMatrixFeaturesKHR khr = {kKhrFeatures, &features};
        VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &khr};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
        shown = layer::extensionRow(Extension::kNvCooperativeMatrix2).read(&features);
        khr.cooperativeMatrixRobustBufferAccess = VK_FALSE;
        const char* names[] = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, kName, kExtName};
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &khr};
        info.enabledExtensionCount = ext ? 3 : 2;
        info.ppEnabledExtensionNames = names;
        ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    }
    // "native", "tiles" or "core".
    std::string fateOf(const Words& words) {
        EXPECT_EQ(makeCompute(stageOf(makeModule(words))), VK_SUCCESS);
        if (last().words == words) return "native";
        EXPECT_EQ(rewrite::validate(last().words), std::nullopt);
        const std::string text = rewrite::disassemble(last().words);
        EXPECT_EQ(text.find("cooperative_matrix2"), text.npos);
        return text.find("OpTypeCooperativeMatrixKHR") == text.npos ? "core" : "tiles";
    }
    VkPhysicalDeviceCooperativeMatrix2PropertiesNV properties() {
        VkPhysicalDeviceCooperativeMatrix2PropertiesNV node = {
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV};
        VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &node};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceProperties2)(driver.physical(), &all);
        return node;
    }
    std::vector<VkCooperativeMatrixFlexibleDimensionsPropertiesNV> rows() {
        const auto query = COOPVK_INSTANCE_COMMAND(
            driver, vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV);
        uint32_t count = 0;
        EXPECT_EQ(query(driver.physical(), &count, nullptr), VK_SUCCESS);
        std::vector<VkCooperativeMatrixFlexibleDimensionsPropertiesNV> all(count);
        EXPECT_EQ(query(driver.physical(), &count, all.data()), VK_SUCCESS);
        return all;
    }

    uint32_t shown = 0;  // members of VkPhysicalDeviceCooperativeMatrix2FeaturesNV
};

TEST_F(Matrix2, BesideMatricesOfTheDriversOwn) {
    startWith(0, false, kName);
    EXPECT_EQ(shown & ~64u, kAll & ~64u) << "all but block loads, which need buffer addresses";
    EXPECT_EQ(fateOf(assemble(moduleText(8))), "native");
    EXPECT_EQ(fateOf(assemble(moduleText(16))), "tiles");
    EXPECT_EQ(fateOf(assemble(moduleText(48))), "tiles") << "of no listed shape";
    EXPECT_EQ(fateOf(assemble(moduleText(4))), "core") << "no tiles make it up";
    EXPECT_NE(fateOf(assemble(moduleText(32, true))), "native");
    EXPECT_EQ(fateOf(with(moduleText(8), "CooperativeMatrixReductionsNV")), "tiles");
    EXPECT_EQ(fateOf(with(moduleText(8), "CooperativeMatrixTensorAddressingNV")), "tiles");
    EXPECT_EQ(fateOf(plain), "native");
}

TEST_F(Matrix2, BesideFeaturesOfTheDriversOwn) {
    startWith(kFlexible | kReductions);
    EXPECT_EQ(shown & ~64u, kAll & ~64u);
    EXPECT_TRUE(driver.device.features.at(kFeatures).at(1)) << "flexible dimensions";
    EXPECT_FALSE(driver.device.features.at(kFeatures).at(0)) << "workgroup scope";
    EXPECT_EQ(fateOf(assemble(moduleText(8))), "native");
    EXPECT_EQ(fateOf(assemble(moduleText(48))), "native");
    EXPECT_EQ(fateOf(with(moduleText(48), "CooperativeMatrixReductionsNV")), "native");
    EXPECT_NE(fateOf(assemble(moduleText(32, true))), "native");
    EXPECT_EQ(fateOf(with(moduleText(48), "CooperativeMatrixTensorAddressingNV")), "tiles");
    startWith(kWorkgroupScope | kFlexible);
    EXPECT_EQ(fateOf(assemble(moduleText(32, true))), "native");
    EXPECT_NE(fateOf(with(moduleText(32, true), "CooperativeMatrixReductionsNV")), "native");
}

TEST_F(Matrix2, AllIsTheDriversOwn) {
    startWith(kAll);
    EXPECT_EQ(shown, kAll);
    EXPECT_EQ(fateOf(assemble(moduleText(32, true))), "native");
    EXPECT_EQ(fateOf(with(moduleText(48), "CooperativeMatrixReductionsNV")), "native");
}

// A capability of both extensions is the driver's if the driver has one of them.
TEST_F(Matrix2, CapabilitiesOfTwoExtensions) {
    startWith(kFlexible | kReductions, /*ext=*/true, kBoth);
    EXPECT_EQ(fateOf(with(moduleText(8), "CooperativeMatrixReductionsNV")), "native");
    EXPECT_EQ(fateOf(with(moduleText(8), "CooperativeMatrixPerElementOperationsNV")), "tiles");
    EXPECT_EQ(fateOf(with(moduleText(8), "CooperativeMatrixGetCoordinateEXT")), "tiles");
}

TEST_F(Matrix2, WhereMatricesAreEmulatedToo) {
    startWith(kAll, false, "all");
    EXPECT_EQ(shown & ~64u, kAll & ~64u);
    EXPECT_FALSE(driver.device.features.contains(kFeatures));
    for (const bool isOfWorkgroup : {false, true}) {
        EXPECT_EQ(fateOf(assemble(moduleText(32, isOfWorkgroup))), "core");
    }
}

TEST_F(Matrix2, Limits) {
    startWith(0, false, kName);
    const auto limits = properties();
    EXPECT_EQ(limits.cooperativeMatrixFlexibleDimensionsMaxDimension, 512u);
    EXPECT_GE(limits.cooperativeMatrixWorkgroupScopeMaxWorkgroupSize, 128u);
    EXPECT_GT(limits.cooperativeMatrixWorkgroupScopeReservedSharedMemory, 0u);
}

// The combinations that ggml needs: f16 factors, and f16 and f32 sums.
TEST_F(Matrix2, FlexibleDimensions) {
    startWith(0, false, kName);
    const uint32_t most = properties().cooperativeMatrixWorkgroupScopeMaxWorkgroupSize;
    for (const uint32_t invocations : {0u, 128u}) {
        for (const VkComponentTypeKHR sum :
             {VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR}) {
            const auto all = rows();
            EXPECT_TRUE(std::ranges::any_of(all, [&](const auto& row) {
                return row.workgroupInvocations == invocations && row.MGranularity <= 32 &&
                       row.NGranularity <= 16 && row.KGranularity <= 16 && row.CType == sum &&
                       row.ResultType == sum && row.AType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
                       row.BType == VK_COMPONENT_TYPE_FLOAT16_KHR && !row.saturatingAccumulation;
            })) << invocations;
        }
    }
    for (const auto& row : rows()) {
        EXPECT_EQ(row.scope,
                  row.workgroupInvocations == 0 ? VK_SCOPE_SUBGROUP_KHR : VK_SCOPE_WORKGROUP_KHR);
        EXPECT_LE(row.workgroupInvocations, most);
    }
}

// The rows for subgroups are the driver's; coopvk lists only workgroups, after them.
TEST_F(Matrix2, FlexibleDimensionsBesideTheDriversOwn) {
    startWith(kFlexible);
    EXPECT_FALSE(rows().empty());
    for (const auto& row : rows()) EXPECT_EQ(row.scope, VK_SCOPE_WORKGROUP_KHR);
    startWith(kAll);
    EXPECT_TRUE(rows().empty()) << "the driver has not the query";
}

// Of a device that has the extension's command nowhere: an application may ask for it all the same.
TEST_F(Matrix2, NoGranularitiesWithoutTheExtension) {
    startWith(0, true, "VK_EXT_shader_atomic_float");
    const auto query =
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceCooperativeMatrixProperties2EXT);
    ASSERT_NE(query, nullptr);
    const VkPhysicalDeviceCooperativeMatrixInfo2EXT info = {};
    uint32_t count = 7;
    EXPECT_EQ(query(driver.physical(), &info, &count, nullptr), VK_SUCCESS);
    EXPECT_EQ(count, 0u);
}

// Each combination that the specification requires, for each scope.
TEST_F(Matrix2, Granularities) {
    startWith(0, true, kExtName);
    const auto query =
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceCooperativeMatrixProperties2EXT);
    const uint32_t most = properties().cooperativeMatrixWorkgroupScopeMaxWorkgroupSize;
    using Types = std::array<VkComponentTypeKHR, 3>;  // A and B, C, result
    constexpr auto f16 = VK_COMPONENT_TYPE_FLOAT16_KHR, f32 = VK_COMPONENT_TYPE_FLOAT32_KHR,
                   u8 = VK_COMPONENT_TYPE_UINT8_KHR, u32 = VK_COMPONENT_TYPE_UINT32_KHR,
                   s8 = VK_COMPONENT_TYPE_SINT8_KHR, s32 = VK_COMPONENT_TYPE_SINT32_KHR;
    for (uint32_t invocations = 0; invocations <= most;
         invocations = invocations == 0 ? driver.subgroupSize : invocations * 2) {
        for (const uint32_t subgroup : {0u, driver.subgroupSize}) {
            VkPhysicalDeviceCooperativeMatrixInfo2EXT info = {};
            info.scope = invocations == 0 ? VK_SCOPE_SUBGROUP_KHR : VK_SCOPE_WORKGROUP_KHR;
            info.invocations = invocations;
            info.subgroupSize = subgroup;
            uint32_t count = 0;
            EXPECT_EQ(query(driver.physical(), &info, &count, nullptr), VK_SUCCESS);
            std::vector<VkCooperativeMatrixProperties2EXT> all(count);
            EXPECT_EQ(query(driver.physical(), &info, &count, all.data()), VK_SUCCESS);
            for (const Types& types :
                 {Types{f16, f16, f16}, Types{f16, f32, f32}, Types{u8, u32, u32},
                  Types{u8, s32, s32}, Types{s8, s32, s32}}) {
                EXPECT_TRUE(std::ranges::any_of(all,
                                                [&](const auto& row) {
                                                    return row.AType == types[0] &&
                                                           row.BType == types[0] &&
                                                           row.CType == types[1] &&
                                                           row.ResultType == types[2];
                                                }))
                    << invocations << " invocations, component " << types[0];
            }
            info.flags = VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT;
            EXPECT_EQ(query(driver.physical(), &info, &count, nullptr), VK_SUCCESS);
            EXPECT_LT(count, all.size()) << "floats do not saturate";
        }
    }
}

}  // namespace
}  // namespace coopvk::test::matrix2_test
