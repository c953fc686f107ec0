// SPDX-License-Identifier: Apache-2.0
#include "device/features.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "chain/pnext.hpp"
#include "device/dependents.hpp"
#include "device/extension_depends.hpp"
#include "device/extension_rows.hpp"

namespace coopvk::layer::features_test {
namespace {

TEST(Features, TableIsInOrderAndNamesEachBitOnce) {
    std::set<std::pair<VkStructureType, size_t>> singles, aggregates;
    std::set<std::string> names;
    for (size_t i = 0; i < featureTable().size(); ++i) {
        const FeatureRow& row = featureTable()[i];
        EXPECT_EQ(static_cast<size_t>(row.feature), i) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_TRUE(singles.insert({row.single.type, row.single.offset}).second) << row.name;
        EXPECT_EQ(structSize(row.single.type), row.single.size) << row.name;
        EXPECT_LE(row.single.offset + sizeof(VkBool32), row.single.size) << row.name;
        if (row.aggregate.type == VK_STRUCTURE_TYPE_MAX_ENUM) continue;
        EXPECT_TRUE(aggregates.insert({row.aggregate.type, row.aggregate.offset}).second)
            << row.name;
        EXPECT_LE(row.aggregate.offset + sizeof(VkBool32), structSize(row.aggregate.type))
            << row.name;
    }
    EXPECT_EQ(featureTable().size(), static_cast<size_t>(Feature::kCount));
}

// An extension's structure has as many members as its row says; padding follows.
TEST(Features, ExtensionRows) {
    for (size_t i = 0; i < extensionRows().size(); ++i) {
        const ExtensionRow& row = extensionRows()[i];
        EXPECT_EQ(static_cast<size_t>(row.extension), i);
        const size_t end = row.features.offset + row.features.count * sizeof(VkBool32);
        EXPECT_EQ(row.features.offset, sizeof(VkBaseInStructure));
        EXPECT_LE(end, row.featureSize);
        EXPECT_LT(row.featureSize - end, sizeof(void*));
        EXPECT_GE(row.mainFeatureOffset, row.features.offset);
        EXPECT_LT(row.mainFeatureOffset, end);
        uint32_t bits = 0;
        for (const Grant& grant : row.grants) {
            EXPECT_LT(grant.offset, end) << grant.name;
            EXPECT_EQ(bits & row.bit(grant.offset), 0u) << grant.name << " stands twice";
            bits |= row.bit(grant.offset);
        }
        const bool isListedOnly = row.grants.empty() && rewrite::info(row.extension).isByNameOnly;
        EXPECT_TRUE(isListedOnly || (bits & row.bit(row.mainFeatureOffset)) != 0);
    }
}

TEST(Features, Bits) {
    VkPhysicalDeviceShaderBfloat16FeaturesKHR node = {};
    const FeatureBits bits =
        COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16DotProduct,
                            shaderBFloat16CooperativeMatrix);
    EXPECT_EQ(bitsOf(&node, bits).size(), 2u);
    node.shaderBFloat16Type = VK_TRUE;
    EXPECT_FALSE(anySet(bitsOf(&node, bits)));
    node.shaderBFloat16CooperativeMatrix = VK_TRUE;
    EXPECT_TRUE(anySet(bitsOf(&node, bits)));
}

constexpr rewrite::ExtensionSet kKhr = {rewrite::Extension::kKhrCooperativeMatrix};
constexpr Hidden kMatrix = {kKhr, kKhr};
constexpr Hidden kNothing = {};

// All extensions that depend on VK_KHR_cooperative_matrix in the registry.
TEST(Dependents, Extensions) {
    for (const char* name :
         {"VK_NV_cooperative_matrix2", "VK_NV_cooperative_matrix_decode_vector",
          "VK_EXT_cooperative_matrix_maintenance1", "VK_QCOM_cooperative_matrix_conversion"}) {
        EXPECT_TRUE(kMatrix.hasExtension(name)) << name;
        EXPECT_FALSE(kNothing.hasExtension(name)) << name;
    }
    for (const char* name :
         {"VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix", "VK_KHR_shader_bfloat16", ""}) {
        EXPECT_FALSE(kMatrix.hasExtension(name)) << name;
    }
}

// As the registry's `depends` says, also of extensions that depend on hidden ones.
TEST(Dependents, OfEachReplacedExtension) {
    constexpr Hidden kMatrix2 = {{}, {rewrite::Extension::kNvCooperativeMatrix2}};
    EXPECT_TRUE(kMatrix2.hasExtension("VK_NV_cooperative_matrix_decode_vector"));
    EXPECT_FALSE(kMatrix2.hasExtension("VK_EXT_cooperative_matrix_maintenance1"));
    VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV decode = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_DECODE_VECTOR_FEATURES_NV, nullptr,
        VK_TRUE};
    kMatrix2.clearFeatures(reinterpret_cast<VkBaseOutStructure*>(&decode));
    EXPECT_FALSE(decode.cooperativeMatrixDecodeVector);

    constexpr Hidden kAtomics = {{}, {rewrite::Extension::kExtShaderAtomicFloat}};
    EXPECT_TRUE(kAtomics.hasExtension("VK_EXT_shader_atomic_float2"));

    Hidden halves = {{}, {rewrite::Extension::kKhrShaderFloat16Int8}, VK_API_VERSION_1_1};
    EXPECT_TRUE(halves.hasExtension("VK_VALVE_shader_mixed_float_dot_product"));
    halves.apiVersion = VK_API_VERSION_1_2;
    EXPECT_FALSE(halves.hasExtension("VK_VALVE_shader_mixed_float_dot_product"));
}

Terms least(std::string_view expression, std::string_view holding, std::string_view possible) {
    const auto has = [](std::string_view list, std::string_view term) {
        return list.find(term) != list.npos;
    };
    return leastTerms(expression,
                      [&](std::string_view term) {
                          return has(holding, term)    ? Term::kHolds
                                 : has(possible, term) ? Term::kPossible
                                                       : Term::kFails;
                      })
        .value_or(Terms{"none"});
}

TEST(Dependents, Expressions) {
    EXPECT_EQ(least("a", "a", ""), Terms{});
    EXPECT_EQ(least("a", "", "a"), Terms{"a"});
    EXPECT_EQ(least("a", "", ""), Terms{"none"});
    EXPECT_EQ(least("a+b", "a", "b"), Terms{"b"});
    EXPECT_EQ(least("a+b", "a", ""), Terms{"none"});
    EXPECT_EQ(least("a,b", "", "ab"), Terms{"a"});
    EXPECT_EQ(least("(a+b),c", "", "abc"), Terms{"c"});
    EXPECT_EQ(least("(a+b),c", "ab", "c"), Terms{});
    EXPECT_EQ(least("((a,b)+c),d", "b", "c"), Terms{"c"});
    EXPECT_EQ(least("a+b,c", "", "c"), Terms{"c"}) << "from left to right";
    EXPECT_EQ(versionOf("VK_VERSION_1_3"), VK_API_VERSION_1_3);
    // Others, of the same length and of others.
    for (const char* other :
         {"VK_KHR_8bit_storage", "VK_KHR_surface", "VK_VERSION_1_", "VK_VERSION_1_10", ""})
        EXPECT_EQ(versionOf(other), std::nullopt) << other;
    for (const ExtensionDepends& row : extensionDepends()) {
        for (const Term term : {Term::kHolds, Term::kPossible, Term::kFails}) {
            const auto all = leastTerms(row.expression, [&](std::string_view) { return term; });
            EXPECT_EQ(all.has_value(), term != Term::kFails) << row.extension;
            EXPECT_EQ(all && !all->empty(), term == Term::kPossible) << row.extension;
        }
    }
}

// Extensions that coopvk itself emulates are not hidden, whatever they depend on.
TEST(Dependents, EmulatedOnes) {
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        const Hidden hidden = {rewrite::ExtensionSet::all(), rewrite::ExtensionSet::all()};
        EXPECT_FALSE(hidden.hasExtension(info.vulkanName));
    }
}

// If coopvk adds features to the driver's, it hides none of the driver's.
TEST(Dependents, OnlyOfWhatIsReplaced) {
    constexpr Hidden kAdded = {rewrite::ExtensionSet::all()};
    EXPECT_FALSE(kAdded.hasExtension("VK_NV_cooperative_matrix2"));
    EXPECT_FALSE(kAdded.hasExtension("VK_EXT_shader_atomic_float2"));
}

TEST(Dependents, WholeStructures) {
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV features = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV};
    auto* node = reinterpret_cast<VkBaseOutStructure*>(&features);
    const auto* in = reinterpret_cast<const VkBaseInStructure*>(&features);
    EXPECT_FALSE(kMatrix.isAskedForBy(in));
    features.cooperativeMatrixWorkgroupScope = VK_TRUE;
    EXPECT_TRUE(kMatrix.isAskedForBy(in));
    features.cooperativeMatrixWorkgroupScope = VK_FALSE;
    features.cooperativeMatrixBlockLoads = VK_TRUE;
    EXPECT_TRUE(kMatrix.isAskedForBy(in));
    kNothing.clearFeatures(node);
    EXPECT_TRUE(features.cooperativeMatrixBlockLoads);
    kMatrix.clearFeatures(node);
    EXPECT_FALSE(features.cooperativeMatrixBlockLoads);
    EXPECT_FALSE(kMatrix.isAskedForBy(in));
}

TEST(Dependents, SingleFeatures) {
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR, nullptr, VK_TRUE, VK_TRUE,
        VK_TRUE};
    kMatrix.clearFeatures(reinterpret_cast<VkBaseOutStructure*>(&bfloat16));
    EXPECT_TRUE(bfloat16.shaderBFloat16Type);
    EXPECT_TRUE(bfloat16.shaderBFloat16DotProduct);
    EXPECT_FALSE(bfloat16.shaderBFloat16CooperativeMatrix);
    VkPhysicalDeviceShaderFloat8FeaturesEXT float8 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT, nullptr, VK_TRUE, VK_TRUE};
    const auto* in = reinterpret_cast<const VkBaseInStructure*>(&float8);
    EXPECT_TRUE(kMatrix.isAskedForBy(in));
    kMatrix.clearFeatures(reinterpret_cast<VkBaseOutStructure*>(&float8));
    EXPECT_TRUE(float8.shaderFloat8);
    EXPECT_FALSE(float8.shaderFloat8CooperativeMatrix);
    EXPECT_FALSE(kMatrix.isAskedForBy(in));
}

}  // namespace
}  // namespace coopvk::layer::features_test
