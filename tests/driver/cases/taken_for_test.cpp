// SPDX-License-Identifier: Apache-2.0
//
// A device that programs take for NVIDIA's (the setting `as`): what they see of it, and a shader
// with the built-ins of VK_NV_shader_sm_builtins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "bindings.hpp"
#include "harness/other_device.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::taken_for_test {
namespace {

constexpr const char* kSmBuiltins = VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME;
constexpr const char* kCudaLaunch = "VK_NV_cuda_kernel_launch";
constexpr uint32_t kGroups = 37, kInvocations = 64, kValues = 6;

constexpr const char* kSource = R"(#version 460
#extension GL_NV_shader_sm_builtins : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint seen[]; };
void main() {
    uint at = gl_GlobalInvocationID.x * 6;
    seen[at] = gl_SMCountNV;
    seen[at + 1] = gl_WarpsPerSMNV;
    seen[at + 2] = gl_SMIDNV;
    seen[at + 3] = gl_WarpIDNV;
    seen[at + 4] = gl_SubgroupSize;
    seen[at + 5] = gl_SubgroupID;
}
)";

struct Counts {
    uint32_t cores, warps;
};

// Of the driver, if it has the extension itself; else of devices that do not say how many they have
// (docs/use.md).
Counts expectedCounts() {
    const Context& own = Context::get();
    if (!own.has(kSmBuiltins)) return {16, 48};
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sms{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sms};
    vkGetPhysicalDeviceProperties2(own.physical, &properties);
    return {sms.shaderSMCount, sms.shaderWarpsPerSM};
}

// The layer reads the setting when the instance is made.
class AsNvidia {
 public:
    AsNvidia() { setenv("COOPVK_AS", "nvidia", /*overwrite=*/1); }
    ~AsNvidia() { unsetenv("COOPVK_AS"); }
};

class TakenFor : public testing::Test {
 protected:
    TakenFor() : instance((AsNvidia(), std::make_unique<OtherInstance>())) {
        properties.pNext = &v11;
        v11.pNext = &v12;
        v12.pNext = &sms;
        instance->table().vkGetPhysicalDeviceProperties2(instance->physical(), &properties);
    }

    bool lists(const char* name) const {
        return vulkan::contains(
            vulkan::extensionsOf(instance->physical(),
                                 instance->table().vkEnumerateDeviceExtensionProperties),
            name);
    }

    const std::unique_ptr<OtherInstance> instance;
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    VkPhysicalDeviceVulkan12Properties v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sms{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
};

TEST_F(TakenFor, NumbersAndNames) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Context& own = Context::get();
    EXPECT_EQ(properties.properties.vendorID, 0x10deu);
    EXPECT_STREQ(properties.properties.deviceName, "NVIDIA GeForce RTX 4090");
    EXPECT_EQ(v12.driverID, VK_DRIVER_ID_NVIDIA_PROPRIETARY);
    EXPECT_STREQ(v12.driverName, "NVIDIA");
    // What data on disk goes by stays the device's.
    const VkPhysicalDeviceProperties& p = own.properties;
    EXPECT_EQ(
        std::memcmp(properties.properties.pipelineCacheUUID, p.pipelineCacheUUID, VK_UUID_SIZE), 0);
    VkPhysicalDeviceIDProperties ids{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 ownProperties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &ids};
    vkGetPhysicalDeviceProperties2(own.physical, &ownProperties);
    EXPECT_EQ(std::memcmp(ids.deviceUUID, v11.deviceUUID, VK_UUID_SIZE), 0);
    EXPECT_EQ(std::memcmp(ids.driverUUID, v11.driverUUID, VK_UUID_SIZE), 0);
    EXPECT_STRNE(p.deviceName, "NVIDIA GeForce RTX 4090") << "others see the device's own";
}

TEST_F(TakenFor, Extensions) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    EXPECT_TRUE(lists(kSmBuiltins));
    EXPECT_TRUE(lists(kCudaLaunch));
    const bool isNvidias = Context::get().properties12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    EXPECT_TRUE(isNvidias || !Context::get().has(kSmBuiltins));
    EXPECT_TRUE(isNvidias || !Context::get().has(kCudaLaunch));
    EXPECT_EQ(sms.shaderSMCount, expectedCounts().cores);
    EXPECT_EQ(sms.shaderWarpsPerSM, expectedCounts().warps);
}

// What the shader writes for each invocation.
void expectValues(const uint32_t* seen, uint32_t subgroupSize) {
    const Counts counts = expectedCounts();
    for (uint32_t i = 0; i < kGroups * kInvocations; ++i, seen += kValues) {
        ASSERT_EQ(seen[0], counts.cores) << i;
        ASSERT_EQ(seen[1], counts.warps) << i;
        ASSERT_LT(seen[2], counts.cores) << i;
        ASSERT_LT(seen[3], counts.warps) << i;
        if (!Context::get().has(kSmBuiltins)) {
            ASSERT_EQ(seen[2], i / kInvocations % counts.cores) << i;
            ASSERT_EQ(seen[3], seen[5] % counts.warps) << i;
        }
        ASSERT_EQ(seen[4], subgroupSize) << i;
        ASSERT_LT(seen[5], kInvocations / subgroupSize) << i;
    }
}

TEST_F(TakenFor, SmBuiltIns) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    VkPhysicalDeviceShaderSMBuiltinsFeaturesNV feature{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV};
    feature.shaderSMBuiltins = VK_TRUE;
    const char* const names[] = {kSmBuiltins, kCudaLaunch};
    const uint32_t family = Context::get().queueFamily;
    const VkDevice device = vulkan::createDevice(
        instance->physical(), instance->table().vkCreateDevice, family, names, &feature);
    VolkDeviceTable vk{};
    volkLoadDeviceTable(&vk, device);
    const auto destroy = [&vk](VkDevice made) { vk.vkDestroyDevice(made, nullptr); };
    const std::unique_ptr<VkDevice_T, decltype(destroy)> owner(device, destroy);
    {
        const Words words = compileGlsl(kSource);
        const vulkan::Layout layout(device, vk, 1u, kPushBytes);
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.layout = layout.pipeline;
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.pName = "main";
        info.stage.module = vulkan::createShaderModule(device, vk, words.data(), words.size());
        const VkPipeline pipeline = vulkan::createComputePipeline(device, vk, info);
        constexpr uint32_t kWords = kGroups * kInvocations * kValues;
        const vulkan::DeviceRef ref = {instance->physical(),
                                       instance->table().vkGetPhysicalDeviceMemoryProperties,
                                       device, vk};
        const vulkan::Buffer buffer(ref, kWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        std::memset(buffer.map, 0x5a, kWords * 4);
        const vulkan::Bindings bindings(device, vk, layout);
        bindings.bind(0, {buffer.handle, 0, VK_WHOLE_SIZE});
        VkQueue queue = VK_NULL_HANDLE;
        vk.vkGetDeviceQueue(device, family, 0, &queue);
        vulkan::Commands(device, vk, queue, family).run([&](VkCommandBuffer commands) {
            vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
            vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline, 0,
                                       1, &bindings.set, 0, nullptr);
            vk.vkCmdDispatch(commands, kGroups, 1, 1);
        });
        vk.vkDestroyPipeline(device, pipeline, nullptr);
        expectValues(reinterpret_cast<const uint32_t*>(buffer.map), v11.subgroupSize);
    }
}

// Where the device can run them, or has always narrower ones; others keep their own.
TEST_F(TakenFor, SubgroupsOf32) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const VkPhysicalDeviceVulkan13Properties& own = Context::get().properties13;
    const bool canBe32 = own.minSubgroupSize <= 32 && own.maxSubgroupSize >= 32;
    const bool isNarrower = own.minSubgroupSize == own.maxSubgroupSize && own.maxSubgroupSize < 32;
    EXPECT_EQ(v11.subgroupSize, canBe32 || isNarrower ? 32 : Context::get().subgroupSize);
}

}  // namespace
}  // namespace coopvk::test::taken_for_test
