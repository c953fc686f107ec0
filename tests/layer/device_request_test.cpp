// SPDX-License-Identifier: Apache-2.0
#include "device_request.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "extension_rows.hpp"
#include "pnext.hpp"

namespace coopvk::layer {
namespace {

constexpr auto kMatrixType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
constexpr auto k2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
constexpr auto k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
constexpr auto k13 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
constexpr auto kFloat16 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
constexpr const char* kMatrixName = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;

// A device that emulates matrices, and an application that asks for them.
class Request : public testing::Test {
 protected:
    Request() {
        device.facts.apiVersion = VK_API_VERSION_1_3;
        device.facts.features.set();
        device.emulated.insert(rewrite::Extension::kKhrCooperativeMatrix);
        matrix.cooperativeMatrix = VK_TRUE;
        info.pNext = &matrix;
        names = {kMatrixName};
    }

    DeviceRequest make() {
        const auto& row = extensionRow(rewrite::Extension::kKhrCooperativeMatrix);
        auto& decision = device.decisions[static_cast<size_t>(row.extension)];
        decision = {};
        if (!device.emulated.empty()) {
            decision.provision = Provision::kEmulated;
            decision.added = row.granted(device.facts);
        }
        device.hidden = {device.emulated, device.emulated,
                         device.emulated};  // over the driver's own
        info.enabledExtensionCount = static_cast<uint32_t>(names.size());
        info.ppEnabledExtensionNames = names.data();
        const DeviceRequest request = makeDeviceRequest(device, info, scratch);
        listed.assign(request.info.ppEnabledExtensionNames,
                      request.info.ppEnabledExtensionNames + request.info.enabledExtensionCount);
        return request;
    }
    bool lists(std::string_view name) const {
        return std::ranges::find(listed, name) != listed.end();
    }
    // How many structures of the request's chain have a feature of the table, and whether it is
    // set in each. Vulkan forbids a feature's own structure beside its version's.
    void expectEnabledOnce(const DeviceRequest& request, Feature feature) const {
        const FeatureRow& row = featureTable()[static_cast<size_t>(feature)];
        int places = 0;
        const auto look = [&](VkStructureType type, size_t offset) {
            const auto* node = findNode(request.info.pNext, type);
            if (node == nullptr) return;
            ++places;
            EXPECT_TRUE(featureBit(const_cast<VkBaseInStructure*>(node), offset)) << row.name;
        };
        look(row.single, row.singleOffset);
        look(row.aggregate, row.aggregateOffset);
        if (row.single == k2 && request.info.pEnabledFeatures != nullptr) {
            ++places;
            auto core = *request.info.pEnabledFeatures;
            EXPECT_TRUE(
                featureBit(&core, row.singleOffset - offsetof(VkPhysicalDeviceFeatures2, features)))
                << row.name;
        }
        EXPECT_EQ(places, 1) << row.name;
    }
    void expectAllNeedsOnce(const DeviceRequest& request) const {
        for (Feature feature : extensionRow(rewrite::Extension::kKhrCooperativeMatrix).needs) {
            // The driver's own matrices have a test of their own.
            if (feature == Feature::kNativeCooperativeMatrix) continue;
            expectEnabledOnce(request, feature);
        }
        std::vector<VkStructureType> types;
        for (auto* node = static_cast<const VkBaseInStructure*>(request.info.pNext); node;
             node = node->pNext) {
            types.push_back(node->sType);
        }
        std::ranges::sort(types);
        EXPECT_EQ(std::ranges::adjacent_find(types), types.end()) << "a structure stands twice";
    }

    PhysicalDeviceContext device;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {kMatrixType};
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    std::vector<const char*> names;
    std::vector<std::string> listed;
    Scratch scratch;
};

TEST_F(Request, TheDriversOwnMatricesOnlyWhereShadersKeepThem) {
    DeviceRequest request = make();
    EXPECT_EQ(findNode(request.info.pNext, kMatrixType), nullptr);
    EXPECT_FALSE(lists(kMatrixName));
    device.nativeMatrices = true;
    request = make();
    expectEnabledOnce(request, Feature::kNativeCooperativeMatrix);
    EXPECT_TRUE(lists(kMatrixName));
}

TEST_F(Request, NothingEmulatedNothingChanged) {
    device.emulated = {};
    VkExtensionProperties tooling = {VK_EXT_TOOLING_INFO_EXTENSION_NAME, 1};
    device.facts.extensions = {tooling};
    const DeviceRequest request = make();
    EXPECT_EQ(request.result, VK_SUCCESS);
    EXPECT_EQ(request.info.pNext, &matrix);
    EXPECT_EQ(request.info.ppEnabledExtensionNames, names.data());
    EXPECT_TRUE(request.emulated.empty());
}

TEST_F(Request, StripsWhatIsEmulated) {
    names = {"VK_EXT_one", kMatrixName, "VK_EXT_two"};
    const DeviceRequest request = make();
    EXPECT_EQ(request.result, VK_SUCCESS);
    EXPECT_EQ(findNode(request.info.pNext, kMatrixType), nullptr);
    EXPECT_FALSE(lists(kMatrixName));
    EXPECT_TRUE(lists("VK_EXT_one") && lists("VK_EXT_two"));
    EXPECT_TRUE(request.emulated.contains(rewrite::Extension::kKhrCooperativeMatrix));
}

// By the extension's name alone, by a feature alone, by neither.
TEST_F(Request, EmulatedWhenAskedFor) {
    matrix.cooperativeMatrix = VK_FALSE;
    EXPECT_FALSE(make().emulated.empty());
    names.clear();
    EXPECT_TRUE(make().emulated.empty());
    EXPECT_EQ(findNode(make().info.pNext, kMatrixType), nullptr);
    matrix.cooperativeMatrix = VK_TRUE;
    EXPECT_FALSE(make().emulated.empty());
}

TEST_F(Request, AddsNothingWhenNotAskedFor) {
    names.clear();
    info.pNext = nullptr;
    const DeviceRequest request = make();
    EXPECT_EQ(request.info.pNext, nullptr);
    EXPECT_EQ(request.info.pEnabledFeatures, nullptr);
    EXPECT_EQ(request.info.enabledExtensionCount, 0u);
}

TEST_F(Request, AddsSingleStructures) { expectAllNeedsOnce(make()); }

TEST_F(Request, AddsToTheVersionsStructures) {
    VkPhysicalDeviceVulkan12Features v12 = {k12, &matrix};
    VkPhysicalDeviceVulkan13Features v13 = {k13, &v12};
    v12.scalarBlockLayout = VK_TRUE;
    info.pNext = &v13;
    const DeviceRequest request = make();
    expectAllNeedsOnce(request);
    const auto* copy = findNode<VkPhysicalDeviceVulkan12Features>(request.info.pNext, k12);
    ASSERT_NE(copy, nullptr);
    EXPECT_TRUE(copy->scalarBlockLayout);
    EXPECT_TRUE(copy->shaderFloat16);
    EXPECT_EQ(findNode(request.info.pNext, kFloat16), nullptr);
    EXPECT_FALSE(v12.shaderFloat16) << "the application's own memory";
    EXPECT_EQ(v12.pNext, &matrix);
    EXPECT_EQ(info.pNext, &v13);
}

TEST_F(Request, AddsToTheApplicationsSingleStructures) {
    VkPhysicalDeviceShaderFloat16Int8Features float16 = {kFloat16, &matrix};
    float16.shaderInt8 = VK_TRUE;
    info.pNext = &float16;
    const DeviceRequest request = make();
    expectAllNeedsOnce(request);
    EXPECT_FALSE(float16.shaderFloat16);
}

TEST_F(Request, CoreFeaturesInTheChain) {
    VkPhysicalDeviceFeatures2 core = {k2, &matrix};
    core.features.geometryShader = VK_TRUE;
    info.pNext = &core;
    const DeviceRequest request = make();
    expectAllNeedsOnce(request);
    const auto* copy = findNode<VkPhysicalDeviceFeatures2>(request.info.pNext, k2);
    EXPECT_TRUE(copy->features.geometryShader);
    EXPECT_EQ(request.info.pEnabledFeatures, nullptr);
    EXPECT_FALSE(core.features.shaderInt64);
}

TEST_F(Request, CoreFeaturesBesideTheChain) {
    VkPhysicalDeviceFeatures core = {};
    core.geometryShader = VK_TRUE;
    info.pEnabledFeatures = &core;
    const DeviceRequest request = make();
    expectAllNeedsOnce(request);
    EXPECT_TRUE(request.info.pEnabledFeatures->geometryShader);
    EXPECT_TRUE(request.info.pEnabledFeatures->shaderInt64);
    EXPECT_FALSE(core.shaderInt64);
}

// What the device lacks is not enabled.
TEST_F(Request, OnlyWhatTheDeviceHas) {
    device.facts.features.reset(static_cast<size_t>(Feature::kShaderFloat64));
    device.facts.features.reset(static_cast<size_t>(Feature::kShaderFloat16));
    const DeviceRequest request = make();
    ASSERT_NE(request.info.pEnabledFeatures, nullptr);
    EXPECT_FALSE(request.info.pEnabledFeatures->shaderFloat64);
    const auto* node =
        findNode<VkPhysicalDeviceShaderFloat16Int8Features>(request.info.pNext, kFloat16);
    ASSERT_NE(node, nullptr);
    EXPECT_FALSE(node->shaderFloat16);
    EXPECT_TRUE(node->shaderInt8);
}

// The feature is in two structures, and shaderInt8 stays the driver's.
class HalfRequest : public Request {
 protected:
    HalfRequest() {
        auto& halves = device.decisions[static_cast<size_t>(kHalves)];
        halves = {.provision = Provision::kEmulated, .native = 0b10, .added = 0b01};
        device.emulated.insert(kHalves);
        device.facts.features.reset(static_cast<size_t>(Feature::kShaderFloat16));
    }
    static constexpr auto kHalves = rewrite::Extension::kKhrShaderFloat16Int8;
};

TEST_F(HalfRequest, TakesTheFeatureFromBothStructures) {
    names = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
    VkPhysicalDeviceShaderFloat16Int8Features single = {kFloat16};
    single.shaderFloat16 = single.shaderInt8 = VK_TRUE;
    VkPhysicalDeviceVulkan12Features v12 = {k12};
    v12.shaderFloat16 = v12.shaderInt8 = v12.scalarBlockLayout = VK_TRUE;
    for (void* chain : {static_cast<void*>(&single), static_cast<void*>(&v12)}) {
        info.pNext = chain;
        const DeviceRequest request = make();
        EXPECT_EQ(request.result, VK_SUCCESS) << request.message;
        EXPECT_TRUE(request.emulated.contains(kHalves));
        EXPECT_TRUE(lists(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME)) << "the driver's shaderInt8";
        EXPECT_TRUE(request.info.pEnabledFeatures->shaderInt16);
        if (const auto* node =
                findNode<VkPhysicalDeviceShaderFloat16Int8Features>(request.info.pNext, kFloat16)) {
            EXPECT_FALSE(node->shaderFloat16);
            EXPECT_TRUE(node->shaderInt8);
        } else {
            const auto* below = findNode<VkPhysicalDeviceVulkan12Features>(request.info.pNext, k12);
            ASSERT_NE(below, nullptr);
            EXPECT_FALSE(below->shaderFloat16);
            EXPECT_TRUE(below->shaderInt8 && below->scalarBlockLayout);
        }
    }
    EXPECT_TRUE(single.shaderFloat16 && v12.shaderFloat16) << "the application's own memory";
}

// Programs that ask for shaderInt8 alone are left alone.
TEST_F(HalfRequest, OnlyWhereTheFeatureIsAskedFor) {
    names = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
    VkPhysicalDeviceShaderFloat16Int8Features single = {kFloat16};
    single.shaderInt8 = VK_TRUE;
    info.pNext = &single;
    const DeviceRequest request = make();
    EXPECT_TRUE(request.emulated.empty());
    const auto* node =
        findNode<VkPhysicalDeviceShaderFloat16Int8Features>(request.info.pNext, kFloat16);
    ASSERT_NE(node, nullptr);
    EXPECT_TRUE(node->shaderInt8);
}

// The code of matrices has half floats.
TEST_F(HalfRequest, ComesWithWhatNeedsIt) { EXPECT_TRUE(make().emulated.contains(kHalves)); }

// Below a feature's version its extension is named, once; from it on it is not. No version has the
// mixed dot product.
TEST_F(Request, NamesExtensionsOfOlderVersions) {
    const DeviceRequest newest = make();
    ASSERT_EQ(newest.info.enabledExtensionCount, 1u);
    EXPECT_STREQ(newest.info.ppEnabledExtensionNames[0],
                 VK_VALVE_SHADER_MIXED_FLOAT_DOT_PRODUCT_EXTENSION_NAME);
    device.facts.apiVersion = VK_API_VERSION_1_1;
    names = {kMatrixName, VK_KHR_8BIT_STORAGE_EXTENSION_NAME};
    expectAllNeedsOnce(make());
    EXPECT_EQ(std::ranges::count(listed, VK_KHR_8BIT_STORAGE_EXTENSION_NAME), 1);
    EXPECT_EQ(std::ranges::count(listed, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME), 1);
    EXPECT_TRUE(lists(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME));
    EXPECT_FALSE(lists(VK_KHR_16BIT_STORAGE_EXTENSION_NAME)) << "core in 1.1";
}

TEST_F(Request, RefusesFeaturesThatAreNotEmulated) {
    matrix.cooperativeMatrixRobustBufferAccess = VK_TRUE;
    EXPECT_EQ(make().result, VK_SUCCESS);
    device.facts.features.reset(static_cast<size_t>(Feature::kRobustBufferAccess));
    const DeviceRequest request = make();
    EXPECT_EQ(request.result, VK_ERROR_FEATURE_NOT_PRESENT);
    EXPECT_NE(request.message.find(kMatrixName), std::string::npos);
}

TEST_F(Request, RefusesHiddenExtensions) {
    names.push_back(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
    DeviceRequest request = make();
    EXPECT_EQ(request.result, VK_ERROR_EXTENSION_NOT_PRESENT);
    EXPECT_NE(request.message.find("VK_NV_cooperative_matrix2"), std::string::npos);
    device.emulated = {};
    EXPECT_EQ(make().result, VK_SUCCESS);
    EXPECT_TRUE(lists("VK_NV_cooperative_matrix2"));
}

TEST_F(Request, RefusesHiddenFeatures) {
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR, &matrix};
    info.pNext = &bfloat16;
    bfloat16.shaderBFloat16Type = VK_TRUE;
    EXPECT_EQ(make().result, VK_SUCCESS);
    bfloat16.shaderBFloat16CooperativeMatrix = VK_TRUE;
    EXPECT_EQ(make().result, VK_ERROR_FEATURE_NOT_PRESENT);
    // Also where the application does not ask for the emulated extension.
    names.clear();
    matrix.cooperativeMatrix = VK_FALSE;
    EXPECT_EQ(make().result, VK_ERROR_FEATURE_NOT_PRESENT);
    device.emulated = {};
    EXPECT_EQ(make().result, VK_SUCCESS);
}

// The layer has VK_EXT_tooling_info where the driver does not, emulating or not.
TEST_F(Request, ToolingInfo) {
    names.push_back(VK_EXT_TOOLING_INFO_EXTENSION_NAME);
    EXPECT_EQ(make().result, VK_SUCCESS);
    EXPECT_FALSE(lists(VK_EXT_TOOLING_INFO_EXTENSION_NAME));
    device.emulated = {};
    make();
    EXPECT_FALSE(lists(VK_EXT_TOOLING_INFO_EXTENSION_NAME));
    device.facts.extensions.push_back({VK_EXT_TOOLING_INFO_EXTENSION_NAME, 1});
    make();
    EXPECT_TRUE(lists(VK_EXT_TOOLING_INFO_EXTENSION_NAME));
}

// Structures that this build does not know reach the driver, in every position.
TEST_F(Request, KeepsUnknownStructures) {
    struct Unknown {
        VkStructureType sType = static_cast<VkStructureType>(1999999002);
        const void* pNext = nullptr;
        uint64_t payload = 77;
    };
    Unknown first, last;
    first.pNext = &matrix;
    matrix.pNext = &last;
    info.pNext = &first;
    const DeviceRequest request = make();
    int found = 0;
    for (auto* node = static_cast<const VkBaseInStructure*>(request.info.pNext); node;
         node = node->pNext) {
        if (node->sType != first.sType) continue;
        ++found;
        EXPECT_EQ(reinterpret_cast<const Unknown*>(node)->payload, 77u);
    }
    EXPECT_EQ(found, 2);
    EXPECT_EQ(first.pNext, &matrix);
}

}  // namespace
}  // namespace coopvk::layer
