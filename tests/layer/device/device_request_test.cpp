// SPDX-License-Identifier: Apache-2.0
#include "device/device_request.hpp"

#include <algorithm>
#include <cstring>

#include "request_fixture.hpp"

namespace coopvk::layer::device_request_test {
namespace {

constexpr auto k13 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;

// Before Vulkan 1.1, extensions for what emulations need depend on others.
TEST_F(Request, ExtensionsComeWithThoseOnWhichTheyDepend) {
    constexpr const char* kClass = VK_KHR_STORAGE_BUFFER_STORAGE_CLASS_EXTENSION_NAME;
    constexpr const char* kGroup = VK_KHR_DEVICE_GROUP_EXTENSION_NAME;
    device.facts.apiVersion = VK_API_VERSION_1_0;
    for (const char* name : {VK_KHR_8BIT_STORAGE_EXTENSION_NAME, kClass, kGroup}) {
        VkExtensionProperties properties = {};
        std::string_view(name).copy(properties.extensionName, VK_MAX_EXTENSION_NAME_SIZE - 1);
        device.facts.extensions.push_back(properties);
    }
    make();
    EXPECT_TRUE(lists(VK_KHR_8BIT_STORAGE_EXTENSION_NAME));
    EXPECT_EQ(std::ranges::count(listed, kClass), 1);
    EXPECT_FALSE(lists(kGroup)) << "nothing depends on it";
    device.facts.apiVersion = VK_API_VERSION_1_1;
    make();
    EXPECT_TRUE(lists(VK_KHR_8BIT_STORAGE_EXTENSION_NAME));
    EXPECT_FALSE(lists(kClass)) << "in Vulkan 1.1";
}

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

// Below a feature's version its extension is named, once; from it on it is not. No version has
// these two.
TEST_F(Request, NamesExtensionsOfOlderVersions) {
    const DeviceRequest newest = make();
    ASSERT_EQ(newest.info.enabledExtensionCount, 2u);
    EXPECT_STREQ(newest.info.ppEnabledExtensionNames[0],
                 VK_VALVE_SHADER_MIXED_FLOAT_DOT_PRODUCT_EXTENSION_NAME);
    EXPECT_STREQ(newest.info.ppEnabledExtensionNames[1],
                 VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME);
    device.facts.apiVersion = VK_API_VERSION_1_1;
    names = {kMatrixName, VK_KHR_8BIT_STORAGE_EXTENSION_NAME};
    expectAllNeedsOnce(make());
    EXPECT_EQ(std::ranges::count(listed, VK_KHR_8BIT_STORAGE_EXTENSION_NAME), 1);
    EXPECT_EQ(std::ranges::count(listed, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME), 1);
    EXPECT_TRUE(lists(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME));
    EXPECT_FALSE(lists(VK_KHR_16BIT_STORAGE_EXTENSION_NAME)) << "core in 1.1";
}

// Vulkan forbids the feature of VK_KHR_buffer_device_address, and that of Vulkan 1.2, beside
// VK_EXT_buffer_device_address (VUID-VkDeviceCreateInfo-ppEnabledExtensionNames-03328,
// -pNext-04748).
TEST_F(Request, BufferAddressesOfTheOlderExtension) {
    constexpr auto kVector = rewrite::Extension::kNvCooperativeVector;
    device.emulated = {kVector};
    auto& decision = device.decisions[static_cast<size_t>(kVector)];
    decision.provision = Provision::kEmulated;
    decision.added = extensionRow(kVector).granted(device.facts);
    VkPhysicalDeviceVulkan12Features v12 = {k12};
    for (const uint32_t version : {VK_API_VERSION_1_1, VK_API_VERSION_1_3}) {
        for (const bool hasAggregate : {false, true}) {
            device.facts.apiVersion = version;
            info.pNext = hasAggregate ? &v12 : nullptr;
            names = {VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME,
                     VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME};
            const DeviceRequest request = make();
            const auto* older = findNode<VkPhysicalDeviceBufferDeviceAddressFeaturesEXT>(
                request.info.pNext,
                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT);
            ASSERT_NE(older, nullptr);
            EXPECT_TRUE(older->bufferDeviceAddress);
            EXPECT_FALSE(lists(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME));
            EXPECT_EQ(findNode(request.info.pNext,
                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES),
                      nullptr);
            const auto* all = findNode<VkPhysicalDeviceVulkan12Features>(request.info.pNext, k12);
            EXPECT_TRUE(all == nullptr || !all->bufferDeviceAddress);
            ASSERT_NE(request.info.pEnabledFeatures, nullptr);
            EXPECT_TRUE(request.info.pEnabledFeatures->shaderInt64) << "for 64-bit indexing";
        }
    }
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
    // Also if the application does not enable the emulated extension.
    names.clear();
    matrix.cooperativeMatrix = VK_FALSE;
    EXPECT_EQ(make().result, VK_ERROR_FEATURE_NOT_PRESENT);
    device.emulated = {};
    EXPECT_EQ(make().result, VK_SUCCESS);
}

// If the driver lacks VK_EXT_tooling_info, the layer has it, with and without emulation.
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
}  // namespace coopvk::layer::device_request_test
