// SPDX-License-Identifier: Apache-2.0
//
// As soon as a driver has destroyed an object, it may give the same handle to an object of another
// thread. The layer must not remove its data of the new object together with that of the old one.
#include <gtest/gtest.h>

#include <cstring>

#include "fakes/recorded_conversions.hpp"
#include "fakes/shader_routes.hpp"
#include "objects/registry.hpp"
#include "shaders/shader_binaries.hpp"

namespace coopvk::test::handle_reuse_test {
namespace {

TEST_F(ShaderRoutes, ReusedModule) {
    const VkShaderModule old = makeModule(matrix);
    made.clear();
    VkShaderModule other = VK_NULL_HANDLE;
    driver.during["vkDestroyShaderModule"] = [&] {
        driver.reuse = numberOf(old);
        other = makeModule(matrix);
    };
    destroyModule(old);
    ASSERT_EQ(other, old);
    EXPECT_EQ(makeCompute(stageOf(other)), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
}

TEST_F(ShaderRoutes, ReusedShaderObject) {
    const auto make = [&] {
        VkShaderCreateInfoEXT info = {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
        info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        info.codeSize = matrix.size() * 4;
        info.pCode = matrix.data();
        info.pName = "main";
        VkShaderEXT shader = VK_NULL_HANDLE;
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateShadersEXT)(device, 1, &info,
                                                                            nullptr, &shader),
                  VK_SUCCESS);
        return shader;
    };
    const auto destroy = COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderEXT);
    const VkShaderEXT old = make();
    VkShaderEXT other = VK_NULL_HANDLE;
    driver.during["vkDestroyShaderEXT"] = [&] {
        driver.reuse = numberOf(old);
        other = make();
    };
    destroy(device, old, nullptr);
    ASSERT_EQ(other, old);
    size_t size = 0;
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderBinaryDataEXT)(device, other, &size, nullptr);
    std::vector<std::byte> data(size);
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderBinaryDataEXT)
    (device, other, &size, data.data());
    EXPECT_EQ(layer::kindOfBinary(*layer::devices().find(device), data.data(), data.size()),
              layer::BinaryKind::kOurs);
    destroy(device, other, nullptr);
}

TEST_F(ShaderRoutes, ReusedDeferredOperation) {
    const auto operation = reinterpret_cast<VkDeferredOperationKHR>(uint64_t{7});
    const auto defer = [&] {
        const VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
        VkRayTracingPipelineCreateInfoKHR info = {
            VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR};
        info.stageCount = 1;
        info.pStages = &stage;
        VkPipeline pipeline = VK_NULL_HANDLE;
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateRayTracingPipelinesKHR)(
                      device, operation, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
                  VK_OPERATION_DEFERRED_KHR);
    };
    const auto destroy = COOPVK_DEVICE_COMMAND(driver, device, vkDestroyDeferredOperationKHR);
    defer();
    driver.during["vkDestroyDeferredOperationKHR"] = defer;
    destroy(device, operation, nullptr);
    EXPECT_EQ(driver.modules.size(), 3u) << "two stubs, and the module that is still read";
    destroy(device, operation, nullptr);
    EXPECT_EQ(driver.modules.size(), 2u);
}

class ReusedCommandBuffers : public RecordedConversions {
 protected:
    // The next command buffer has the handle of the existing one.
    void allocateDuring(const char* command) {
        driver.during[command] = [&] {
            driver.reuse = numberOf(commands);
            COOPVK_DEVICE_COMMAND(driver, device, vkAllocateCommandBuffers)
            (device, &allocate, &other);
        };
    }
    void expectRecording() {
        ASSERT_EQ(other, commands);
        begin();
        record();
        EXPECT_EQ(driver.dispatches, 1u);
        EXPECT_EQ(end(), VK_SUCCESS);
    }

    VkCommandBuffer other = VK_NULL_HANDLE;
};

TEST_F(ReusedCommandBuffers, Freed) {
    allocateDuring("vkFreeCommandBuffers");
    COOPVK_DEVICE_COMMAND(driver, device, vkFreeCommandBuffers)
    (device, allocate.commandPool, 1, &commands);
    expectRecording();
}

TEST_F(ReusedCommandBuffers, OfADestroyedPool) {
    allocateDuring("vkDestroyCommandPool");
    const VkCommandPool old = std::exchange(allocate.commandPool, secondPool);
    COOPVK_DEVICE_COMMAND(driver, device, vkDestroyCommandPool)(device, old, nullptr);
    expectRecording();
}

// The handle of a device is its dispatch key.
TEST(ReusedDevice, HasItsOwnCommands) {
    setenv("COOPVK_EMULATE", "auto", 1);
    FakeDriver driver;
    driver.makeInstance();
    const VkDevice old = driver.makeMatrixDevice();
    VkDevice other = VK_NULL_HANDLE;
    driver.during["vkDestroyDevice"] = [&] {
        driver.reuse = numberOf(old);
        other = driver.makeMatrixDevice();
    };
    driver.destroyDevice(old);
    ASSERT_EQ(other, old);
    EXPECT_NE(driver.deviceCommand(other, "vkCreateShaderModule"), nullptr);
    driver.destroyDevice(other);
    EXPECT_EQ(driver.destroyedDevices, 2u);
    unsetenv("COOPVK_EMULATE");
}

}  // namespace
}  // namespace coopvk::test::handle_reuse_test
