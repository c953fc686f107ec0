// SPDX-License-Identifier: Apache-2.0
//
// What instances and physical devices have through the layer, above the tests' driver.
#include <cstring>

#include "coopvk/vulkan_coopvk.h"
#include "queries_fixture.hpp"
#include "settings/settings.hpp"

namespace coopvk::test::queries_test {
namespace {

TEST_F(Queries, Instances) {
    EXPECT_NE(driver.makeInstance(), nullptr);
    EXPECT_EQ(driver.createdInstances, 1u);
    driver.destroyInstance();
    EXPECT_EQ(driver.destroyedInstances, 1u);
}

TEST_F(Queries, AddsWhatTheDriverLacks) {
    driver.extensions = {"VK_KHR_one", "VK_KHR_two"};
    driver.makeInstance();
    EXPECT_TRUE(lists(kMatrixName));
    EXPECT_TRUE(lists("VK_KHR_one") && lists("VK_KHR_two"));
    const auto feature = features<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>(kMatrixType);
    EXPECT_TRUE(feature.cooperativeMatrix);
    EXPECT_EQ(list(layer::kLayerName).front(), kMatrixName);
}

TEST_F(Queries, LeavesWhatTheDriverHas) {
    makeNative();
    driver.extensions.push_back(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
    driver.makeInstance();
    EXPECT_TRUE(lists(kMatrixName));
    EXPECT_TRUE(lists(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME));
    EXPECT_EQ(std::ranges::count(list(layer::kLayerName), kMatrixName), 0);
}

// Listed, but without its main feature: treated as absent.
TEST_F(Queries, ListedButNotSupported) {
    makeNative();
    driver.moreFeatures[kMatrixType] = {VK_FALSE, VK_FALSE};
    driver.makeInstance();
    EXPECT_TRUE(lists(kMatrixName));
    EXPECT_TRUE(
        features<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>(kMatrixType).cooperativeMatrix);
}

TEST_F(Queries, HidesDependents) {
    makeNative();
    const auto kMatrix2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV;
    const auto kBfloat16 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR;
    driver.extensions.push_back(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
    driver.extensions.push_back(VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME);
    driver.moreFeatures[kMatrix2] = std::vector<VkBool32>(7, VK_TRUE);
    driver.moreFeatures[kBfloat16] = std::vector<VkBool32>(3, VK_TRUE);
    const auto matrix2 = [&] {
        return features<VkPhysicalDeviceCooperativeMatrix2FeaturesNV>(kMatrix2);
    };
    const auto bfloat16 = [&] {
        return features<VkPhysicalDeviceShaderBfloat16FeaturesKHR>(kBfloat16);
    };
    driver.makeInstance();
    EXPECT_TRUE(lists(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME));
    EXPECT_TRUE(matrix2().cooperativeMatrixBlockLoads);
    EXPECT_TRUE(bfloat16().shaderBFloat16CooperativeMatrix);
    driver.destroyInstance();

    setenv("COOPVK_EMULATE", kMatrixName, 1);
    driver.makeInstance();
    EXPECT_FALSE(lists(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME));
    EXPECT_TRUE(lists(VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME));
    EXPECT_FALSE(matrix2().cooperativeMatrixWorkgroupScope);
    EXPECT_FALSE(matrix2().cooperativeMatrixBlockLoads);
    EXPECT_TRUE(bfloat16().shaderBFloat16DotProduct);
    EXPECT_FALSE(bfloat16().shaderBFloat16CooperativeMatrix);
}

TEST_F(Queries, ShortLists) {
    driver.extensions = {"VK_KHR_one", "VK_KHR_two"};
    driver.makeInstance();
    const auto command = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties);
    uint32_t total = 0;
    EXPECT_EQ(command(driver.physical(), nullptr, &total, nullptr), VK_SUCCESS);
    for (uint32_t room = 0; room <= total + 1; ++room) {
        std::vector<VkExtensionProperties> out(total + 2);
        uint32_t count = room;
        EXPECT_EQ(command(driver.physical(), nullptr, &count, out.data()),
                  room < total ? VK_INCOMPLETE : VK_SUCCESS);
        EXPECT_EQ(count, std::min(room, total));
        EXPECT_STREQ(out[room].extensionName, "") << "written behind the end";
    }
}

TEST_F(Queries, LayersAndInstanceExtensions) {
    driver.makeInstance();
    uint32_t count = 0;
    const auto layers = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateInstanceLayerProperties);
    EXPECT_EQ(layers(&count, nullptr), VK_SUCCESS);
    ASSERT_EQ(count, 1u);
    VkLayerProperties layer = {};
    EXPECT_EQ(layers(&count, &layer), VK_SUCCESS);
    EXPECT_STREQ(layer.layerName, layer::kLayerName);
    EXPECT_EQ(layer.implementationVersion, 1u) << "as the manifest says";
    const auto extensions = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateInstanceExtensionProperties);
    EXPECT_EQ(extensions(nullptr, &count, nullptr), VK_ERROR_LAYER_NOT_PRESENT);
    EXPECT_EQ(extensions(layer::kLayerName, &count, nullptr), VK_SUCCESS);
    EXPECT_EQ(count, 0u);
    VkExtensionProperties extension = {};
    count = 1;
    EXPECT_EQ(extensions(layer::kLayerName, &count, &extension), VK_SUCCESS);
    EXPECT_EQ(count, 0u);
}

TEST_F(Queries, MatrixShapes) {
    driver.makeInstance();
    const auto command =
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR);
    uint32_t count = 0;
    EXPECT_EQ(command(driver.physical(), &count, nullptr), VK_SUCCESS);
    ASSERT_GT(count, 1u);
    std::vector<VkCooperativeMatrixPropertiesKHR> shapes(count);
    uint32_t room = count - 1;
    EXPECT_EQ(command(driver.physical(), &room, shapes.data()), VK_INCOMPLETE);
    EXPECT_EQ(shapes.back().MSize, 0u);
    EXPECT_EQ(command(driver.physical(), &count, shapes.data()), VK_SUCCESS);
    for (const VkCooperativeMatrixPropertiesKHR& shape : shapes) {
        EXPECT_EQ(shape.scope, VK_SCOPE_SUBGROUP_KHR);
        EXPECT_GT(shape.MSize * shape.NSize * shape.KSize, 0u);
    }
}

// A driver that has the extension but not the command, as this one, has no shapes.
TEST_F(Queries, MatrixShapesOfNobody) {
    makeNative();
    driver.makeInstance();
    uint32_t count = 5;
    EXPECT_EQ(COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)(
                  driver.physical(), &count, nullptr),
              VK_SUCCESS);
    EXPECT_EQ(count, 0u);
}

TEST_F(Queries, Tools) {
    driver.tools = 2;
    driver.makeInstance();
    EXPECT_EQ(tools(), (std::vector<std::string>{"driver's tool", "driver's tool", "coopvk"}));
    const auto query = COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceToolProperties);
    for (uint32_t room = 0; room <= 3; ++room) {
        std::vector<VkPhysicalDeviceToolProperties> out(4);
        uint32_t count = room;
        EXPECT_EQ(query(driver.physical(), &count, out.data()),
                  room < 3 ? VK_INCOMPLETE : VK_SUCCESS);
        EXPECT_EQ(count, room);
        EXPECT_STREQ(out[room].name, "");
    }
}

// VK_EXT_shader_long_vector depends on Vulkan 1.2, of the instance and of the device.
TEST_F(Queries, LongVectorsNeedVulkan12) {
    struct Row {
        uint32_t device, instance;
        bool hasLongVectors;
    };
    constexpr Row kRows[] = {{VK_API_VERSION_1_1, VK_API_VERSION_1_3, false},
                             {VK_API_VERSION_1_3, VK_API_VERSION_1_1, false},
                             {VK_API_VERSION_1_2, VK_API_VERSION_1_2, true}};
    // The feature that the emulation needs is also there before Vulkan 1.2.
    driver.extensions.push_back(VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME);
    driver.moreFeatures[VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES] = {VK_TRUE};
    for (const Row& row : kRows) {
        driver.apiVersion = row.device;
        driver.makeInstance(row.instance);
        EXPECT_EQ(lists(VK_EXT_SHADER_LONG_VECTOR_EXTENSION_NAME), row.hasLongVectors);
        const auto node = features<VkPhysicalDeviceShaderLongVectorFeaturesEXT>(
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_FEATURES_EXT);
        EXPECT_EQ(node.longVector == VK_TRUE, row.hasLongVectors);
        driver.destroyInstance();
    }
}

// Before Vulkan 1.3 there is VK_EXT_tooling_info; if the driver lacks it, it is the layer's.
TEST_F(Queries, ToolsOfOlderDevices) {
    driver.apiVersion = VK_API_VERSION_1_2;
    driver.tools = 1;
    driver.makeInstance();
    EXPECT_TRUE(lists(VK_EXT_TOOLING_INFO_EXTENSION_NAME));
    EXPECT_EQ(tools("vkGetPhysicalDeviceToolPropertiesEXT"), (std::vector<std::string>{"coopvk"}));
    driver.destroyInstance();
    driver.extensions.push_back(VK_EXT_TOOLING_INFO_EXTENSION_NAME);
    driver.makeInstance();
    EXPECT_TRUE(lists(VK_EXT_TOOLING_INFO_EXTENSION_NAME));
    EXPECT_EQ(tools("vkGetPhysicalDeviceToolPropertiesEXT"),
              (std::vector<std::string>{"driver's tool", "coopvk"}));
}

// As layers above do that pass on commands which they do not know.
TEST_F(Queries, CommandsThatLayersAboveDoNotKnow) {
    constexpr const char* kName = "vk_layerGetPhysicalDeviceProcAddr";
    const VkInstance instance = driver.makeInstance();
    const auto find =
        reinterpret_cast<PFN_GetPhysicalDeviceProcAddr>(driver.instanceCommand(kName));
    ASSERT_NE(find, nullptr);
    for (const char* query : {"vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK",
                              "vkGetPhysicalDeviceShader2DBlockSizesCOOPVK",
                              "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"}) {
        const auto found = find(instance, query);
        EXPECT_NE(found, nullptr) << query;
        EXPECT_EQ(found, driver.instanceCommand(query)) << query;
    }
    EXPECT_EQ(find(instance, "vkCreateShaderModule"), nullptr);
}

TEST_F(Queries, NextQueriesAreLookedUpWhileTheInstanceIsCreated) {
    VkCooperativeMatrixPropertiesKHR shape = {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    shape.MSize = 123;
    driver.matrixShapes = {shape};
    driver.extensions = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};
    driver.makeInstance();
    const auto command =
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR);
    driver.answersFromTheTop = true;
    uint32_t count = 1;
    VkCooperativeMatrixPropertiesKHR found = {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    EXPECT_GE(command(driver.physical(), &count, &found), VK_SUCCESS);
    EXPECT_EQ(found.MSize, 123u);
}

TEST_F(Queries, OldInstance) {
    driver.makeInstance(VK_API_VERSION_1_0);
    EXPECT_FALSE(lists(kMatrixName)) << "no subgroups below Vulkan 1.1";
}

// Out of memory now, and successful later; the log says so.
TEST_F(Queries, FailedListing) {
    driver.makeInstance();
    driver.listing = VK_ERROR_OUT_OF_HOST_MEMORY;
    const auto command = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties);
    uint32_t count = 0;
    testing::internal::CaptureStderr();
    EXPECT_EQ(command(driver.physical(), nullptr, &count, nullptr), VK_ERROR_OUT_OF_HOST_MEMORY);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("]: cannot list the extensions of fake device: "
                        "VK_ERROR_OUT_OF_HOST_MEMORY"),
              std::string::npos)
        << text;
    testing::internal::CaptureStderr();
    EXPECT_EQ(driver.makeMatrixDevice(), nullptr);
    EXPECT_EQ(driver.createdDevices, 0u);
    testing::internal::GetCapturedStderr();
    driver.listing = VK_SUCCESS;
    EXPECT_TRUE(lists(kMatrixName));
}

// Structures of coopvk's own go to the next layer only if it lists their extension; the chain is
// then as the application made it.
TEST_F(Queries, StructuresThatTheNextLayerDoesNotKnow) {
    constexpr auto kInt4 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK;
    constexpr auto kBlocks = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK;
    setenv("COOPVK_EMULATE", "VK_EXT_shader_atomic_float", 1);
    driver.moreFeatures = {{kInt4, {VK_TRUE, VK_TRUE}},
                           {kBlocks, {VK_TRUE, VK_TRUE, VK_TRUE}},
                           {kMatrixType, {VK_TRUE, VK_TRUE}}};
    for (const bool lists : {false, true}) {
        driver.extensions = {kMatrixName};
        if (lists) driver.extensions.push_back(VK_COOPVK_SHADER_2D_BLOCK_IO_EXTENSION_NAME);
        driver.makeInstance();
        VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK last = {kBlocks};
        VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {kMatrixType, &last};
        VkPhysicalDeviceShaderInt4FeaturesCOOPVK second = {kInt4, &matrices};
        VkPhysicalDeviceShaderInt4FeaturesCOOPVK first = {kInt4, &second};
        VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &first};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
        EXPECT_EQ(last.shader2DBlockIO, lists ? VK_TRUE : VK_FALSE);
        EXPECT_FALSE(first.shaderInt4 || second.shaderInt4);
        EXPECT_TRUE(matrices.cooperativeMatrix);
        EXPECT_EQ(all.pNext, &first);
        EXPECT_EQ(first.pNext, &second);
        EXPECT_EQ(second.pNext, &matrices);
        EXPECT_EQ(matrices.pNext, &last);
        EXPECT_EQ(last.pNext, nullptr);
        driver.destroyInstance();
    }
}

// No stage that the device lacks.
TEST_F(Queries, StagesOfVectors) {
    constexpr VkShaderStageFlags kLeast =
        VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
    const auto stages = [&] {
        VkPhysicalDeviceCooperativeVectorPropertiesNV vectors = {
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_PROPERTIES_NV};
        VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                           &vectors};
        driver.makeInstance();
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceProperties2)(driver.physical(), &all);
        driver.destroyInstance();
        return vectors.cooperativeVectorSupportedStages;
    };
    EXPECT_EQ(stages(), kLeast);
    VkPhysicalDeviceFeatures features = {};
    features.geometryShader = features.tessellationShader = VK_TRUE;
    features.shaderInt16 = features.shaderInt64 = VK_TRUE;
    const auto* bits = reinterpret_cast<const VkBool32*>(&features);
    driver.moreFeatures[VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2].assign(
        bits, bits + sizeof(features) / sizeof(VkBool32));
    EXPECT_EQ(stages(),
              VkShaderStageFlags{VK_SHADER_STAGE_ALL_GRAPHICS} | VK_SHADER_STAGE_COMPUTE_BIT);
    driver.moreFeatures.clear();
    driver.extensions = {VK_EXT_MESH_SHADER_EXTENSION_NAME,
                         VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME};
    EXPECT_EQ(stages(), kLeast | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT |
                            VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                            VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                            VK_SHADER_STAGE_INTERSECTION_BIT_KHR |
                            VK_SHADER_STAGE_CALLABLE_BIT_KHR);
}

}  // namespace
}  // namespace coopvk::test::queries_test
