// SPDX-License-Identifier: Apache-2.0
//
// Drivers that have some features of an extension in coopvk's table: the driver's features stay,
// and only the missing ones are emulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "assemble.hpp"
#include "chain/pnext.hpp"
#include "device/device_facts.hpp"
#include "device/extension_rows.hpp"
#include "fakes/fake_commands.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test::partial_features_test {
namespace {

using layer::ExtensionRow;
using rewrite::Extension;

constexpr auto kAtomics = Extension::kExtShaderAtomicFloat;
constexpr auto kAtomics2Type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT;
// By their places in VkPhysicalDeviceShaderAtomicFloatFeaturesEXT.
constexpr uint32_t kBuffer = 1u << 0, kBufferAdd = 1u << 1, kShared = 1u << 4, kSharedAdd = 1u << 5;
constexpr uint32_t kEvery = (1u << 12) - 1;

class PartialFeatures : public testing::Test {
 protected:
    PartialFeatures() { setenv("COOPVK_EMULATE", "auto", 1); }
    ~PartialFeatures() override { unsetenv("COOPVK_EMULATE"); }

    static const char* nameOf(const ExtensionRow& row) {
        return rewrite::info(row.extension).vulkanName.data();
    }
    // A driver whose structure of the extension has these members set.
    void startWith(const ExtensionRow& row, uint32_t native,
                   uint32_t version = VK_API_VERSION_1_3) {
        driver.extensions = {nameOf(row), VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME};
        driver.moreFeatures.clear();
        std::vector<VkBool32>& members = driver.moreFeatures[row.featureType];
        for (size_t i = 0; i < row.features.count; ++i) members.push_back(native >> i & 1u);
        if (version > VK_API_VERSION_1_0) {
            driver.moreFeatures[kAtomics2Type] = std::vector<VkBool32>(12, VK_TRUE);
        }
        driver.makeInstance(version);
    }
    void stop() { driver.destroyInstance(); }

    std::vector<std::byte> structureOf(const ExtensionRow& row) {
        std::vector<std::byte> node(row.featureSize);
        reinterpret_cast<VkBaseOutStructure*>(node.data())->sType = row.featureType;
        return node;
    }
    uint32_t reported(const ExtensionRow& row) {
        auto node = structureOf(row);
        VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, node.data()};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
        return row.read(node.data());
    }
    VkResult make(const ExtensionRow& row, uint32_t asked, VkDevice& device) {
        auto node = structureOf(row);
        row.add(node.data(), asked);
        const std::vector<std::byte> before = node;
        const char* name = nameOf(row);
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, node.data()};
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &name;
        testing::internal::CaptureStderr();
        const VkResult result = driver.makeDevice(info, &device);
        testing::internal::GetCapturedStderr();
        EXPECT_EQ(node, before) << "the application's memory";
        return result;
    }
    // The features of the extension that the driver had to enable.
    uint32_t seen(const ExtensionRow& row) {
        const auto found = driver.device.features.find(row.featureType);
        uint32_t bits = 0;
        for (size_t i = 0; found != driver.device.features.end() && i < row.features.count; ++i) {
            bits |= found->second.at(i) != 0 ? 1u << i : 0u;
        }
        return bits;
    }
    bool driverGot(const char* name) {
        return std::ranges::count(driver.device.extensions, name) != 0;
    }
    bool lists(std::string_view name) {
        uint32_t count = 0;
        const auto command = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties);
        command(driver.physical(), nullptr, &count, nullptr);
        std::vector<VkExtensionProperties> all(count);
        command(driver.physical(), nullptr, &count, all.data());
        return std::ranges::any_of(all, [&](const auto& one) { return name == one.extensionName; });
    }
    // Whether pipelines and modules of a device pass through the layer.
    bool isInTheWay(VkDevice device) {
        return driver.deviceCommand(device, "vkCreateShaderModule") !=
               fake::getDeviceProcAddr(device, "vkCreateShaderModule");
    }

    FakeDriver driver;
};

// Every extension, on drivers with every combination of its features, or, of the dozen of float
// atomics, with each one alone and with all but each one.
std::vector<uint32_t> combinations(const ExtensionRow& row) {
    const auto count = static_cast<uint32_t>(row.features.count);
    const uint32_t all = (1u << count) - 1;
    std::vector<uint32_t> list;
    for (uint32_t bits = 0; count < 4 && bits <= all; ++bits) list.push_back(bits);
    for (uint32_t i = 0; count >= 4 && i < count; ++i) {
        list.push_back(1u << i);
        list.push_back(all & ~(1u << i));
    }
    return list;
}

TEST_F(PartialFeatures, NothingOfTheDriversIsLost) {
    for (const ExtensionRow& row : layer::extensionRows()) {
        for (const uint32_t native : combinations(row)) {
            SCOPED_TRACE(std::string(nameOf(row)) + " " + std::to_string(native));
            startWith(row, native);
            const uint32_t all = reported(row);
            EXPECT_EQ(all & native, native);
            VkDevice device = VK_NULL_HANDLE;
            // As a program that knows nothing of coopvk.
            ASSERT_EQ(make(row, native, device), VK_SUCCESS);
            if (native != 0) {
                EXPECT_EQ(seen(row), native);
                EXPECT_TRUE(driverGot(nameOf(row)));
                EXPECT_FALSE(isInTheWay(device));
            }
            driver.destroyDevice(device);
            // As a program that enables everything that the device reports.
            ASSERT_EQ(make(row, all, device), VK_SUCCESS);
            EXPECT_EQ(seen(row), native) << "nothing that the driver lacks, and all that it has";
            EXPECT_EQ(isInTheWay(device), all != native);
            driver.destroyDevice(device);
            stop();
        }
    }
}

// Some devices have shared and image atomics, and no addition in buffers.
TEST_F(PartialFeatures, FloatAtomics) {
    const ExtensionRow& row = layer::extensionRow(kAtomics);
    startWith(row, kEvery & ~kBufferAdd);
    EXPECT_EQ(reported(row), kEvery);
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT second = {kAtomics2Type};
    VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &second};
    COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
    EXPECT_TRUE(second.shaderBufferFloat16Atomics);
    EXPECT_TRUE(second.sparseImageFloat32AtomicMinMax);
    stop();
    // With `all` none of the driver's features stay.
    setenv("COOPVK_EMULATE", "all", 1);
    startWith(row, kEvery & ~kBufferAdd);
    EXPECT_EQ(reported(row), kBuffer | kBufferAdd);
    second.shaderBufferFloat16Atomics = VK_TRUE;
    COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(driver.physical(), &all);
    EXPECT_FALSE(second.shaderBufferFloat16Atomics);
}

// The second extension is usable without any feature of the first.
TEST_F(PartialFeatures, ListedWithoutFeatures) {
    const ExtensionRow& row = layer::extensionRow(kAtomics);
    startWith(row, 0);
    EXPECT_EQ(reported(row), kBuffer | kBufferAdd);
    EXPECT_TRUE(lists(VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME));
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT second = {kAtomics2Type};
    second.shaderBufferFloat16Atomics = VK_TRUE;
    const char* names[] = {nameOf(row), VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME};
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &second};
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = names;
    VkDevice device = VK_NULL_HANDLE;
    ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    EXPECT_TRUE(driverGot(names[0]) && driverGot(names[1])) << "which depends on the other";
    driver.destroyDevice(device);
}

// Vulkan 1.0 alone cannot report what the driver has: loaders fill the structures with zeros.
TEST_F(PartialFeatures, InstancesThatCannotTell) {
    const ExtensionRow& row = layer::extensionRow(kAtomics);
    for (const bool told : {false, true}) {
        SCOPED_TRACE(told);
        if (told) driver.instanceExtensions = {"VK_KHR_get_physical_device_properties2"};
        startWith(row, told ? kEvery & ~kBufferAdd : 0, VK_API_VERSION_1_0);
        EXPECT_TRUE(lists(nameOf(row)));
        EXPECT_TRUE(lists(VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME));
        EXPECT_EQ(lists(VK_EXT_SHADER_REPLICATED_COMPOSITES_EXTENSION_NAME), told);
        VkDevice device = VK_NULL_HANDLE;
        ASSERT_EQ(make(row, kEvery & ~kBufferAdd, device), VK_SUCCESS);
        EXPECT_EQ(seen(row), kEvery & ~kBufferAdd);
        driver.destroyDevice(device);
        stop();
    }
}

// Features that neither the driver nor coopvk has are refused by one of the two.
TEST_F(PartialFeatures, WhatNobodyHasGoesDown) {
    const ExtensionRow& row = layer::extensionRow(kAtomics);
    startWith(row, kSharedAdd);
    VkDevice device = VK_NULL_HANDLE;
    ASSERT_EQ(make(row, kShared | kBufferAdd, device), VK_SUCCESS) << "this driver refuses nothing";
    EXPECT_EQ(seen(row), kShared);
    driver.destroyDevice(device);
}

// A shader that adds to a float in a buffer, in Workgroup memory, or both.
Words adder(bool buffer, bool shared) {
    const std::string add = " = OpAtomicFAddEXT %f32 ";
    return assemble(std::string(R"(
OpCapability Shader
OpCapability AtomicFloat32AddEXT
OpExtension "SPV_EXT_shader_atomic_float_add"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %d %s
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %d DescriptorSet 0
OpDecorate %d Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%one = OpConstant %f32 1
%block = OpTypeStruct %f32
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %f32
%pshared = OpTypePointer Workgroup %f32
%d = OpVariable %pblock StorageBuffer
%s = OpVariable %pshared Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %pfloat %d %c0
)") + (buffer ? "%x" + add + "%p %c1 %c0 %one\n" : "") +
                    (shared ? "%y" + add + "%s %c1 %c0 %one\n" : "") + "OpReturn\nOpFunctionEnd\n");
}

class PartialAtomics : public ShaderRoutes {
 protected:
    void startWith(uint32_t native) {
        stop();
        driver.createdModules.clear();
        const ExtensionRow& row = layer::extensionRow(kAtomics);
        driver.extensions = {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME};
        driver.moreFeatures[row.featureType].clear();
        for (size_t i = 0; i < row.features.count; ++i) {
            driver.moreFeatures[row.featureType].push_back(native >> i & 1u);
        }
        for (const auto feature : {layer::Feature::kShaderBufferFloat32AtomicAdd,
                                   layer::Feature::kShaderSharedFloat32AtomicAdd}) {
            const size_t offset = layer::featureTable()[static_cast<size_t>(feature)].single.offset;
            driver.features.set(static_cast<size_t>(feature), (native & row.bit(offset)) != 0);
        }
        driver.makeInstance();
        VkPhysicalDeviceShaderAtomicFloatFeaturesEXT features = {row.featureType};
        row.add(&features, native | kBufferAdd);
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
        const char* name = driver.extensions[0].c_str();
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &name;
        ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    }
    // What the driver gets of a shader, as text.
    std::string through(const Words& words) {
        EXPECT_EQ(makeCompute(stageOf(makeModule(words))), VK_SUCCESS);
        EXPECT_EQ(rewrite::validate(last().words), std::nullopt);
        return rewrite::disassemble(last().words);
    }
};

TEST_F(PartialAtomics, ShadersWithWhatIsNativeAreUntouched) {
    startWith(kSharedAdd | kShared);
    const Words words = adder(false, true);
    through(words);
    EXPECT_EQ(last().words, words);
    EXPECT_EQ(driver.createdModules, (std::vector<Words>{words})) << "no stub";
}

TEST_F(PartialAtomics, ShadersWithWhatIsAddedAreRewrittenForThatAlone) {
    startWith(kSharedAdd | kShared);
    const std::string both = through(adder(true, true));
    EXPECT_NE(both.find("OpAtomicCompareExchange"), both.npos) << both;
    EXPECT_NE(both.find("OpCapability AtomicFloat32AddEXT"), both.npos) << both;
    const size_t first = both.find("OpAtomicFAddEXT");
    EXPECT_NE(first, both.npos) << both;
    EXPECT_EQ(both.find("OpAtomicFAddEXT", first + 1), both.npos) << both;
    const std::string one = through(adder(true, false));
    EXPECT_EQ(one.find("AtomicFloat32AddEXT"), one.npos) << one;
    EXPECT_EQ(one.find("OpAtomicFAddEXT"), one.npos) << one;
}

}  // namespace
}  // namespace coopvk::test::partial_features_test
