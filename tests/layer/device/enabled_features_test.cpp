// SPDX-License-Identifier: Apache-2.0
//
// What a driver supports is not what a device has: the driver gets nothing that needs a feature
// which neither the application nor the layer enabled.
#include <gtest/gtest.h>

#include <map>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

#include "assemble.hpp"
#include "chain/pnext.hpp"
#include "device/enabled_facts.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test::enabled_features_test {
namespace {

using layer::Feature;
using layer::FeatureSet;

bool has(const FeatureSet& set, Feature feature) { return set.test(static_cast<size_t>(feature)); }

// The arguments of vkCreateDevice, as the driver got them.
FeatureSet enabledOn(const SeenDevice& device) {
    FeatureSet set;
    for (const layer::FeatureRow& row : layer::featureTable()) {
        const auto isSet = [&](const layer::FeaturePlace& place) {
            const auto node = device.features.find(place.type);
            if (node == device.features.end()) return false;
            return node->second.at((place.offset - sizeof(VkBaseInStructure)) / 4) == VK_TRUE;
        };
        bool enabled = isSet(row.single) || isSet(row.aggregate) || isSet(row.older);
        if (row.single.type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 &&
            device.hasCoreFeatures) {
            VkPhysicalDeviceFeatures2 all = {row.single.type, nullptr, device.coreFeatures};
            enabled = layer::featureBit(&all, row.single.offset) == VK_TRUE;
        }
        set.set(static_cast<size_t>(row.feature), enabled);
    }
    return set;
}

// The Vulkan specification's table of capabilities ("Appendix A: Vulkan Environment for SPIR-V"),
// as far as the rewriter adds them. Those without a row need no feature of the table.
const std::map<uint32_t, Feature>& featuresOfCapabilities() {
    using enum spv::Capability;
    static const std::map<uint32_t, Feature> table = [] {
        std::map<uint32_t, Feature> map;
        for (const auto& [capability, feature] : {
                 std::pair(Float16, Feature::kShaderFloat16),
                 std::pair(Float64, Feature::kShaderFloat64),
                 std::pair(Int8, Feature::kShaderInt8),
                 std::pair(Int16, Feature::kShaderInt16),
                 std::pair(Int64, Feature::kShaderInt64),
                 std::pair(StorageBuffer8BitAccess, Feature::kStorageBuffer8BitAccess),
                 std::pair(StorageBuffer16BitAccess, Feature::kStorageBuffer16BitAccess),
                 std::pair(UniformAndStorageBuffer8BitAccess,
                           Feature::kUniformAndStorageBuffer8BitAccess),
                 std::pair(UniformAndStorageBuffer16BitAccess,
                           Feature::kUniformAndStorageBuffer16BitAccess),
                 std::pair(StoragePushConstant8, Feature::kStoragePushConstant8),
                 std::pair(StoragePushConstant16, Feature::kStoragePushConstant16),
                 std::pair(WorkgroupMemoryExplicitLayout8BitAccessKHR,
                           Feature::kSharedLayout8BitAccess),
                 std::pair(WorkgroupMemoryExplicitLayout16BitAccessKHR,
                           Feature::kSharedLayout16BitAccess),
                 std::pair(VulkanMemoryModel, Feature::kVulkanMemoryModel),
                 std::pair(VulkanMemoryModelDeviceScope, Feature::kVulkanMemoryModelDeviceScope),
                 std::pair(DotProduct, Feature::kShaderIntegerDotProduct),
                 std::pair(DotProductInput4x8BitPacked, Feature::kShaderIntegerDotProduct),
                 std::pair(PhysicalStorageBufferAddresses, Feature::kBufferDeviceAddress),
                 std::pair(AtomicFloat32AddEXT, Feature::kShaderBufferFloat32AtomicAdd),
                 std::pair(CooperativeMatrixKHR, Feature::kNativeCooperativeMatrix),
             }) {
            map.emplace(static_cast<uint32_t>(capability), feature);
        }
        map.emplace(6912, Feature::kMixedFloatDotProduct);  // DotProductFloat16AccFloat32VALVE
        return map;
    }();
    return table;
}

void expectEnabled(const SeenStage& stage, const FeatureSet& enabled) {
    for (size_t at = 5; at < stage.words.size(); at += stage.words[at] >> 16) {
        if ((stage.words[at] & 0xffff) != static_cast<uint32_t>(spv::Op::OpCapability)) continue;
        const auto row = featuresOfCapabilities().find(stage.words[at + 1]);
        if (row == featuresOfCapabilities().end()) continue;
        EXPECT_TRUE(has(enabled, row->second)) << "capability " << row->first;
    }
    if (stage.requiredSubgroupSize != 0) {
        EXPECT_TRUE(has(enabled, Feature::kSubgroupSizeControl));
    }
    if ((stage.flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT) != 0) {
        EXPECT_TRUE(has(enabled, Feature::kComputeFullSubgroups));
    }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
}

Words bfloat16Shader() {
    std::string text = replaced(multiplyModule(16, 16, 16), "OpCapability Float16\n",
                                "OpCapability BFloat16TypeKHR\n"
                                "OpCapability BFloat16CooperativeMatrixKHR\n");
    text = replaced(text, "OpExtension", "OpExtension \"SPV_KHR_bfloat16\"\nOpExtension");
    return assemble(replaced(text, "OpTypeFloat 16", "OpTypeFloat 16 BFloat16KHR"));
}

class EnabledFeatures : public ShaderRoutes {
 protected:
    EnabledFeatures() {
        stop();
        driver.minSubgroupSize = 8;
        driver.maxSubgroupSize = 64;
        driver.makeInstance();
    }
    void makeDevice(const void* chain, std::vector<const char*> names) {
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, chain};
        info.enabledExtensionCount = static_cast<uint32_t>(names.size());
        info.ppEnabledExtensionNames = names.data();
        ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    }
    const SeenStage& through(const Words& words) {
        EXPECT_EQ(makeCompute(stageOf(makeModule(words))), VK_SUCCESS);
        expectEnabled(last(), enabledOn(driver.device));
        return last();
    }
};

// A driver with matrices but without bfloat16.
class OwnMatrices : public EnabledFeatures {
 protected:
    OwnMatrices() {
        driver.destroyInstance();
        driver.extensions = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};
        driver.moreFeatures[matrices.sType] = {VK_TRUE, VK_FALSE};
        VkCooperativeMatrixPropertiesKHR shape = {
            VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
        shape.MSize = shape.NSize = shape.KSize = 8;
        shape.AType = shape.BType = shape.CType = shape.ResultType = VK_COMPONENT_TYPE_FLOAT16_KHR;
        shape.scope = VK_SCOPE_SUBGROUP_KHR;
        driver.matrixShapes = {shape};
        driver.makeInstance();
        matrices.cooperativeMatrix = VK_TRUE;
        bfloat16.shaderBFloat16Type = bfloat16.shaderBFloat16CooperativeMatrix = VK_TRUE;
    }
    void makeDevice() {
        EnabledFeatures::makeDevice(&bfloat16, {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
                                                VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME});
    }

    VkPhysicalDeviceVulkanMemoryModelFeatures model = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, nullptr, VK_TRUE};
    VkPhysicalDevice16BitStorageFeatures storage = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, &model, VK_TRUE};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, &storage};
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR, &matrices};
};

// An emulated format needs what emulated matrices need.
TEST_F(OwnMatrices, WithAnEmulatedFormat) {
    makeDevice();
    const SeenStage& stage = through(bfloat16Shader());
    EXPECT_EQ(stage.requiredSubgroupSize, 32u);
    EXPECT_TRUE(stage.flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT);
}

// In memory, numbers of emulated formats become integers.
TEST_F(EnabledFeatures, OfEmulatedFormats) {
    driver.destroyInstance();
    setenv("COOPVK_EMULATE", "all", 1);
    driver.extensions = {VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME};
    driver.moreFeatures
        [VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR] = {
        VK_TRUE, VK_TRUE, VK_TRUE, VK_TRUE};
    driver.makeInstance();
    VkPhysicalDeviceShaderFloat8FeaturesEXT float8 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT, nullptr, VK_TRUE, VK_FALSE};
    makeDevice(&float8, {VK_EXT_SHADER_FLOAT8_EXTENSION_NAME});
    for (const Feature feature :
         {Feature::kShaderInt8, Feature::kStorageBuffer8BitAccess,
          Feature::kUniformAndStorageBuffer8BitAccess, Feature::kStoragePushConstant8,
          Feature::kSharedLayout8BitAccess}) {
        EXPECT_TRUE(has(enabledOn(driver.device), feature));
    }
    driver.destroyDevice(device);
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR, nullptr, VK_TRUE};
    makeDevice(&bfloat16, {VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME});
    for (const Feature feature :
         {Feature::kShaderInt16, Feature::kStorageBuffer16BitAccess,
          Feature::kUniformAndStorageBuffer16BitAccess, Feature::kStoragePushConstant16,
          Feature::kSharedLayout16BitAccess}) {
        EXPECT_TRUE(has(enabledOn(driver.device), feature));
    }
}

TEST_F(EnabledFeatures, OfEmulatedMatrices) {
    device = driver.makeMatrixDevice();
    through(matrix);
}

// Mesa's driver of Adreno GPUs fails to compile large shaders with full subgroups.
TEST_F(EnabledFeatures, SwitchedOffFullSubgroupsStayOff) {
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, nullptr, VK_TRUE};
    VkPhysicalDeviceSubgroupSizeControlFeatures sizes = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES, &matrices, VK_TRUE,
        VK_FALSE};
    VkPhysicalDeviceVulkan13Features version = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &matrices};
    version.subgroupSizeControl = VK_TRUE;
    for (const void* chain :
         {static_cast<const void*>(&sizes), static_cast<const void*>(&version)}) {
        makeDevice(chain, {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME});
        EXPECT_FALSE(has(enabledOn(driver.device), Feature::kComputeFullSubgroups));
        const SeenStage& stage = through(matrix);
        EXPECT_EQ(stage.requiredSubgroupSize, 32u);
        EXPECT_EQ(stage.flags, 0u);
        for (VkShaderModule module : std::exchange(made, {})) destroyModule(module);
        driver.destroyDevice(std::exchange(device, VK_NULL_HANDLE));
    }
    version.subgroupSizeControl = VK_FALSE;
    makeDevice(&version, {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME});
    EXPECT_TRUE(has(enabledOn(driver.device), Feature::kComputeFullSubgroups)) << "not declined";
}

// A feature may be in four places.
TEST(EnabledFeatureSet, FromEveryPlace) {
    VkPhysicalDeviceFeatures core = {};
    core.shaderInt64 = VK_TRUE;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    EXPECT_TRUE(layer::enabledFeatures(info).none());
    info.pEnabledFeatures = &core;
    EXPECT_TRUE(has(layer::enabledFeatures(info), Feature::kShaderInt64));
    EXPECT_EQ(layer::enabledFeatures(info).count(), 1u);

    VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    all.features.shaderInt16 = VK_TRUE;
    VkPhysicalDeviceShaderFloat16Int8Features single = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, &all, VK_FALSE, VK_TRUE};
    VkPhysicalDeviceVulkan13Features aggregate = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &single};
    aggregate.subgroupSizeControl = VK_TRUE;
    VkPhysicalDeviceBufferDeviceAddressFeaturesEXT older = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT, &aggregate, VK_TRUE};
    info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &older};
    const FeatureSet set = layer::enabledFeatures(info);
    EXPECT_TRUE(has(set, Feature::kShaderInt16));
    EXPECT_TRUE(has(set, Feature::kShaderInt8));
    EXPECT_TRUE(has(set, Feature::kSubgroupSizeControl));
    EXPECT_TRUE(has(set, Feature::kBufferDeviceAddress));
    EXPECT_EQ(set.count(), 4u);
}

// The driver supports all, but the application enables next to nothing.
TEST(EnabledFacts, HaveWhatWasEnabled) {
    layer::DeviceFacts physical;
    physical.features.set();
    physical.traits.shaderInt64 = physical.traits.shaderIntegerDotProduct = true;
    physical.traits.subgroupSizeControl = physical.traits.emulatesFloat16 = true;
    physical.traits.nativeShapes = {
        {8, 8, 8, rewrite::ComponentType::kFloat16, rewrite::ComponentType::kFloat16,
         rewrite::ComponentType::kFloat16, rewrite::ComponentType::kFloat16, false}};
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES, nullptr, VK_TRUE};
    const VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &dot};
    const layer::DeviceFacts facts = layer::enabledFacts(physical, info, {});
    EXPECT_EQ(facts.features.count(), 1u);
    EXPECT_TRUE(facts.traits.shaderIntegerDotProduct);
    EXPECT_FALSE(facts.traits.shaderInt64 || facts.traits.subgroupSizeControl);
    EXPECT_FALSE(facts.traits.emulatesFloat16) << "half floats are not emulated on this device";
    EXPECT_TRUE(facts.traits.nativeShapes.empty());
}

// A driver's matrices of bfloat16 have a feature of their own (VK_KHR_shader_bfloat16).
TEST(EnabledFacts, MatricesOfBfloat16AreEnabledApart) {
    using rewrite::ComponentType;
    constexpr ComponentType kHalf = ComponentType::kFloat16, kSingle = ComponentType::kFloat32,
                            kBrain = ComponentType::kBFloat16;
    layer::DeviceFacts physical;
    physical.features.set();
    physical.traits.nativeShapes = {{8, 8, 8, kHalf, kHalf, kSingle, kSingle, false},
                                    {8, 8, 8, kBrain, kBrain, kSingle, kSingle, false},
                                    {8, 8, 8, kHalf, kBrain, kSingle, kSingle, false},
                                    {8, 8, 8, kHalf, kHalf, kBrain, kSingle, false},
                                    {8, 8, 8, kHalf, kHalf, kSingle, kBrain, false}};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, nullptr, VK_TRUE};
    VkPhysicalDeviceShaderBfloat16FeaturesKHR brain = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR, &matrices, VK_TRUE};
    const VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &brain};
    const auto shapes = [&] { return layer::enabledFacts(physical, info, {}).traits.nativeShapes; };
    ASSERT_EQ(shapes().size(), 1u) << "types are enabled, matrices are not";
    EXPECT_EQ(shapes()[0].c, kSingle);
    brain.shaderBFloat16CooperativeMatrix = VK_TRUE;
    EXPECT_EQ(shapes().size(), 5u);
    brain.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR;
    EXPECT_EQ(shapes().size(), 1u) << "another structure";
}

}  // namespace
}  // namespace coopvk::test::enabled_features_test
