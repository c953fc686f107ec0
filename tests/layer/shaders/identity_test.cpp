// SPDX-License-Identifier: Apache-2.0
//
// Data that programs keep on disk: UUIDs, identifiers and binaries, and to which build they belong.
// Also programs that enable nothing of coopvk's: the layer must not change anything for them.
#include <algorithm>
#include <cstring>

#include "coopvk/vulkan_coopvk.h"
#include "fakes/fake_commands.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test::identity_test {
namespace {

constexpr const char* kMatrixName = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
constexpr auto kMatrixType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;

class Identity : public ShaderRoutes {
 protected:
    void restart(const char* emulate, const char* backEnd = "auto") {
        stop();
        setenv("COOPVK_EMULATE", emulate, 1);
        setenv("COOPVK_BACK_END", backEnd, 1);
        start();
        unsetenv("COOPVK_BACK_END");
    }
    struct Uuids {
        std::string binaries, identifiers;
        bool operator==(const Uuids&) const = default;
    };
    Uuids uuids() {
        VkPhysicalDeviceShaderObjectPropertiesEXT objects = {
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT};
        VkPhysicalDeviceShaderModuleIdentifierPropertiesEXT identifiers = {
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_PROPERTIES_EXT, &objects};
        VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                           &identifiers};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceProperties2)(driver.physical(), &all);
        const auto text = [](const uint8_t (&uuid)[VK_UUID_SIZE]) {
            return std::string(reinterpret_cast<const char*>(uuid), VK_UUID_SIZE);
        };
        return {text(objects.shaderBinaryUUID),
                text(identifiers.shaderModuleIdentifierAlgorithmUUID)};
    }
    std::string identifierOf(const Words& words) {
        VkShaderModuleIdentifierEXT out = {VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
        const VkShaderModuleCreateInfo info = infoOf(words);
        COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleCreateInfoIdentifierEXT)
        (device, &info, &out);
        return std::string(reinterpret_cast<char*>(out.identifier), out.identifierSize);
    }
    VkShaderCreateInfoEXT objectInfo(VkShaderCodeTypeEXT type, const void* code, size_t size) {
        VkShaderCreateInfoEXT info = {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
        info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.codeType = type;
        info.codeSize = size;
        info.pCode = code;
        info.pName = "main";
        return info;
    }
    VkResult makeObject(const VkShaderCreateInfoEXT& info, VkShaderEXT& shader) {
        return COOPVK_DEVICE_COMMAND(driver, device, vkCreateShadersEXT)(device, 1, &info, nullptr,
                                                                         &shader);
    }
    // The binary of a shader object with matrices.
    std::vector<char> makeBinary() {
        VkShaderEXT shader = VK_NULL_HANDLE;
        const auto info =
            objectInfo(VK_SHADER_CODE_TYPE_SPIRV_EXT, matrix.data(), matrix.size() * 4);
        EXPECT_EQ(makeObject(info, shader), VK_SUCCESS);
        const auto get = COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderBinaryDataEXT);
        size_t size = 0;
        EXPECT_EQ(get(device, shader, &size, nullptr), VK_SUCCESS);
        std::vector<char> binary(size);
        EXPECT_EQ(get(device, shader, &size, binary.data()), VK_SUCCESS);
        EXPECT_EQ(binary.size(), size);
        COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderEXT)(device, shader, nullptr);
        return binary;
    }
    // Makes a shader object from it, and returns what the driver got.
    VkResult makeFrom(const std::vector<char>& binary) {
        driver.shaders.clear();
        VkShaderEXT shader = VK_NULL_HANDLE;
        const auto info = objectInfo(VK_SHADER_CODE_TYPE_BINARY_EXT, binary.data(), binary.size());
        const VkResult result = makeObject(info, shader);
        EXPECT_EQ(shader != VK_NULL_HANDLE, result == VK_SUCCESS);
        if (shader != VK_NULL_HANDLE) {
            COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderEXT)(device, shader, nullptr);
        }
        return result;
    }
    void haveMatrices() {
        driver.extensions = {kMatrixName};
        driver.moreFeatures[kMatrixType] = {VK_TRUE, VK_TRUE};
    }

    const Uuids own = {std::string(VK_UUID_SIZE, 0x5a), std::string(VK_UUID_SIZE, 0x3c)};
};

// A driver knows neither coopvk's header of binaries nor its identifiers of modules: data of a
// program that ran with coopvk must not reach it under its own UUIDs.
TEST_F(Identity, UuidsAreNotTheDriversWhereAnythingIsEmulated) {
    const Uuids first = uuids();
    EXPECT_NE(first.binaries, own.binaries);
    EXPECT_NE(first.identifiers, own.identifiers);
    EXPECT_NE(first.binaries, first.identifiers);
    restart("auto");
    EXPECT_EQ(uuids(), first);
}

TEST_F(Identity, UuidsDependOnSettings) {
    std::vector<Uuids> seen = {own};
    const auto expectNew = [&] {
        const Uuids now = uuids();
        EXPECT_EQ(uuids(), now);
        for (const Uuids& before : seen) {
            EXPECT_NE(now.binaries, before.binaries);
            EXPECT_NE(now.identifiers, before.identifiers);
        }
        seen.push_back(now);
    };
    expectNew();
    restart("all");
    expectNew();
    restart(kMatrixName);
    expectNew();
    restart("all", "core");
    expectNew();
    restart("auto", "core");
    expectNew();
}

TEST_F(Identity, UuidsWhereNothingIsEmulated) {
    haveMatrices();
    restart(",", "core");
    EXPECT_EQ(uuids(), own);
}

// Vulkan: identifiers depend on the create info and on the algorithm's UUID, and on nothing else.
TEST_F(Identity, IdentifiersGoWithTheirUuid) {
    const std::string first = identifierOf(matrix);
    EXPECT_EQ(first.size(), 32u);
    restart("auto");
    EXPECT_EQ(identifierOf(matrix), first);
    restart("all");
    const std::string second = identifierOf(matrix);
    EXPECT_NE(second, first);
    restart("all");
    EXPECT_EQ(identifierOf(matrix), second);
    // A device that enables more.
    VkPhysicalDeviceShaderInt4FeaturesCOOPVK int4 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK, nullptr, VK_TRUE, VK_FALSE};
    const char* names[] = {kMatrixName, VK_COOPVK_SHADER_INT4_EXTENSION_NAME};
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &int4};
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = names;
    driver.destroyDevice(device);
    ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    EXPECT_EQ(identifierOf(matrix), second);
}

TEST_F(Identity, BinariesComeBack) {
    const std::vector<char> binary = makeBinary();
    EXPECT_EQ(binary.size(), 48u + 64u) << "the driver's, and a header";
    EXPECT_EQ(makeFrom(binary), VK_SUCCESS);
    ASSERT_EQ(driver.shaders.size(), 1u);
    EXPECT_EQ(driver.shaders[0].words, Words(12, 0xabababab)) << "the driver's part";
    restart("auto");
    EXPECT_EQ(makeFrom(binary), VK_SUCCESS) << "another process, the same settings";
}

// The driver may need again what the layer required when the binary was made.
TEST_F(Identity, BinariesKeepWhatTheLayerRequires) {
    driver.minSubgroupSize = 8;
    driver.maxSubgroupSize = 64;
    restart("auto");
    const std::vector<char> binary = makeBinary();
    ASSERT_EQ(driver.shaders.size(), 1u);
    EXPECT_EQ(driver.shaders[0].requiredSubgroupSize, 32u);
    EXPECT_EQ(makeFrom(binary), VK_SUCCESS);
    ASSERT_EQ(driver.shaders.size(), 1u);
    EXPECT_EQ(driver.shaders[0].requiredSubgroupSize, 32u);
    EXPECT_EQ(driver.shaders[0].flags, VkFlags{VK_SHADER_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT});
}

// Vulkan allows a driver to give the same handle to equal objects.
TEST_F(Identity, BinariesOfObjectsWithOneHandle) {
    const auto info = objectInfo(VK_SHADER_CODE_TYPE_SPIRV_EXT, matrix.data(), matrix.size() * 4);
    VkShaderEXT first = VK_NULL_HANDLE, second = VK_NULL_HANDLE;
    EXPECT_EQ(makeObject(info, first), VK_SUCCESS);
    driver.reuse = numberOf(first);
    EXPECT_EQ(makeObject(info, second), VK_SUCCESS);
    ASSERT_EQ(first, second);
    const auto destroy = COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderEXT);
    const auto get = COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderBinaryDataEXT);
    size_t size = 0;
    destroy(device, first, nullptr);
    EXPECT_EQ(get(device, second, &size, nullptr), VK_SUCCESS);
    EXPECT_EQ(size, 48u + 64u) << "with a header";
    destroy(device, second, nullptr);
    EXPECT_EQ(get(device, second, &size, nullptr), VK_SUCCESS);
    EXPECT_EQ(size, 48u) << "forgotten";
}

TEST_F(Identity, BinariesOfOtherSettingsDoNot) {
    const std::vector<char> binary = makeBinary();
    restart("all");
    EXPECT_EQ(makeFrom(binary), VK_INCOMPATIBLE_SHADER_BINARY_EXT);
    EXPECT_TRUE(driver.shaders.empty()) << "nothing of it may reach the driver";
    // Nor a binary of another build, which has another identity in its header.
    std::vector<char> other = makeBinary();
    other[40] = static_cast<char>(other[40] ^ 1);
    EXPECT_EQ(makeFrom(other), VK_INCOMPATIBLE_SHADER_BINARY_EXT);
    EXPECT_EQ(makeFrom(std::vector<char>(48, 'x')), VK_SUCCESS) << "the driver's own";
}

// --- Programs that enable nothing of coopvk's

TEST_F(Identity, DevicesThatEnableNothingAreTheDriversAlone) {
    driver.destroyDevice(device);
    VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    const char* names[] = {"VK_KHR_one", "VK_KHR_two"};
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = names;
    ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    EXPECT_EQ(driver.device.extensions, (std::vector<std::string>{"VK_KHR_one", "VK_KHR_two"}));
    EXPECT_FALSE(driver.device.hasCoreFeatures);
    EXPECT_EQ(driver.device.chain.size(), 2u) << "the application's and the loader's";
    // No command that takes shaders passes through the layer: no scan, no key of its own.
    for (const char* name :
         {"vkCreateShaderModule", "vkCreateComputePipelines", "vkCreateGraphicsPipelines",
          "vkCreateRayTracingPipelinesKHR", "vkCreateShadersEXT", "vkGetShaderBinaryDataEXT",
          "vkGetShaderModuleIdentifierEXT", "vkGetPipelineKeyKHR", "vkCreatePipelineBinariesKHR"}) {
        EXPECT_EQ(driver.deviceCommand(device, name), fake::getDeviceProcAddr(device, name))
            << name;
    }
}

// The layer's own extensions are enabled like any others.
TEST_F(Identity, Int4WorksWhereItIsEnabled) {
    for (const char* name :
         {VK_COOPVK_SHADER_INT4_EXTENSION_NAME, VK_COOPVK_SHADER_2D_BLOCK_IO_EXTENSION_NAME}) {
        driver.destroyDevice(device);
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &name;
        ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
        EXPECT_NE(driver.deviceCommand(device, "vkCreateShaderModule"),
                  fake::getDeviceProcAddr(device, "vkCreateShaderModule"));
        EXPECT_TRUE(driver.device.extensions.empty());
    }
}

}  // namespace
}  // namespace coopvk::test::identity_test
