// SPDX-License-Identifier: Apache-2.0
//
// Commands that run out of memory at any of their allocations: they say so, nothing looks made that
// is not, and nothing is left behind in the driver.
#include <gtest/gtest.h>

#include <cstdlib>

#include "allocations.hpp"
#include "assemble.hpp"
#include "fake_driver.hpp"

namespace coopvk::test {
namespace {

class OutOfMemory : public testing::Test {
 protected:
    OutOfMemory() {
        setenv("COOPVK_EMULATE", "auto", 1);
        setenv("COOPVK_LOG_LEVEL", "off", 1);
    }
    ~OutOfMemory() override {
        unsetenv("COOPVK_EMULATE");
        unsetenv("COOPVK_LOG_LEVEL");
    }

    // Runs command() with ever more allocations, until one run has enough; check(result) follows
    // each run that has not.
    template <typename Command, typename Check>
    void starve(const Command& command, const Check& check) {
        testing::internal::CaptureStderr();  // without settings, the log goes there
        uint64_t allowed = 0;
        for (bool enough = false; !enough; allowed += 1 + allowed / 64) {
            prepare();
            VkResult result = VK_ERROR_UNKNOWN;
            {
                const FailingAllocations none(allowed);
                result = command();
            }
            enough = !FailingAllocations::happened();
            // Where memory ended behind what can fail, the command is done.
            if (result != VK_SUCCESS) {
                EXPECT_EQ(result, VK_ERROR_OUT_OF_HOST_MEMORY) << "after " << allowed;
                EXPECT_FALSE(enough);
                check();
            }
            finish();
            ASSERT_FALSE(HasFailure()) << "after " << allowed << " allocations";
        }
        EXPECT_GT(allowed, 3u);
        testing::internal::GetCapturedStderr();
    }

    virtual void prepare() {}
    virtual void finish() {}

    FakeDriver driver;
};

TEST_F(OutOfMemory, Instances) {
    starve(
        [&] {
            return driver.makeInstance() != VK_NULL_HANDLE ? VK_SUCCESS
                                                           : VK_ERROR_OUT_OF_HOST_MEMORY;
        },
        [&] { EXPECT_EQ(driver.createdInstances, driver.destroyedInstances); });
    driver.destroyInstance();
}

class OutOfMemoryDevices : public OutOfMemory {
 protected:
    void prepare() override { driver.makeInstance(); }
    void finish() override {
        if (device != VK_NULL_HANDLE) driver.destroyDevice(device);
        device = VK_NULL_HANDLE;
        driver.destroyInstance();
        EXPECT_EQ(driver.createdDevices, driver.destroyedDevices);
        EXPECT_TRUE(driver.modules.empty());
        driver.modules.clear();
    }

    VkDevice device = VK_NULL_HANDLE;
};

TEST_F(OutOfMemoryDevices, Devices) {
    const char* name = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &name;
    starve([&] { return driver.makeDevice(info, &device); },
           [&] { EXPECT_EQ(device, VK_NULL_HANDLE); });
}

TEST_F(OutOfMemoryDevices, Queries) {
    starve(
        [&] {
            uint32_t count = 0;
            return COOPVK_INSTANCE_COMMAND(
                driver, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)(driver.physical(),
                                                                           &count, nullptr);
        },
        [] {});
}

class OutOfMemoryShaders : public OutOfMemoryDevices {
 protected:
    OutOfMemoryShaders() : words(assemble(multiplyModule(16, 16, 16))) {
        code.codeSize = words.size() * sizeof(uint32_t);
        code.pCode = words.data();
        stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        stage.pName = "main";
    }
    void prepare() override {
        OutOfMemoryDevices::prepare();
        device = driver.makeMatrixDevice();
        for (VkPipeline& pipeline : pipelines) pipeline = reinterpret_cast<VkPipeline>(1);
    }
    void expectNone() {
        for (VkPipeline pipeline : pipelines) EXPECT_EQ(pipeline, VK_NULL_HANDLE);
    }

    Words words;
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    VkPipelineShaderStageCreateInfo stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             &code};
    VkPipeline pipelines[2] = {};
};

TEST_F(OutOfMemoryShaders, Modules) {
    starve(
        [&] {
            VkShaderModule module = VK_NULL_HANDLE;
            const VkResult result = COOPVK_DEVICE_COMMAND(driver, device, vkCreateShaderModule)(
                device, &code, nullptr, &module);
            COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderModule)(device, module, nullptr);
            return result;
        },
        [] {});
}

TEST_F(OutOfMemoryShaders, ComputePipelines) {
    VkComputePipelineCreateInfo infos[2] = {{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO},
                                            {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO}};
    for (auto& info : infos) info.stage = stage;
    starve(
        [&] {
            return COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
                device, VK_NULL_HANDLE, 2, infos, nullptr, pipelines);
        },
        [&] { expectNone(); });
}

TEST_F(OutOfMemoryShaders, RayTracingPipelines) {
    driver.deferredResult = VK_SUCCESS;
    VkRayTracingPipelineCreateInfoKHR infos[2] = {
        {VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR},
        {VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR}};
    for (auto& info : infos) {
        info.stageCount = 1;
        info.pStages = &stage;
    }
    const auto operation = reinterpret_cast<VkDeferredOperationKHR>(7);
    starve(
        [&] {
            return COOPVK_DEVICE_COMMAND(driver, device, vkCreateRayTracingPipelinesKHR)(
                device, operation, VK_NULL_HANDLE, 2, infos, nullptr, pipelines);
        },
        [&] { expectNone(); });
}

TEST_F(OutOfMemoryShaders, ShaderObjects) {
    VkShaderCreateInfoEXT info = {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = code.codeSize;
    info.pCode = code.pCode;
    info.pName = "main";
    VkShaderEXT shader = VK_NULL_HANDLE;
    starve(
        [&] {
            shader = reinterpret_cast<VkShaderEXT>(1);
            return COOPVK_DEVICE_COMMAND(driver, device, vkCreateShadersEXT)(device, 1, &info,
                                                                             nullptr, &shader);
        },
        [&] { EXPECT_EQ(shader, VK_NULL_HANDLE); });
}

}  // namespace
}  // namespace coopvk::test
