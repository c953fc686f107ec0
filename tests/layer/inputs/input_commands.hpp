// SPDX-License-Identifier: Apache-2.0
//
// A fixture of tests of the commands that keep inputs of dispatches (the setting dump_inputs),
// above a driver that records its calls.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "fakes/shader_routes.hpp"
#include "inputs/dispatch_inputs.hpp"
#include "objects/registry.hpp"

namespace coopvk::test {

// The setting, as long as this exists.
class KeepsInputs {
 protected:
    KeepsInputs() {
        setenv("COOPVK_DUMP_DIR", folder_.c_str(), 1);
        setenv("COOPVK_DUMP_INPUTS", "1M", 1);
    }
    ~KeepsInputs() {
        unsetenv("COOPVK_DUMP_DIR");
        unsetenv("COOPVK_DUMP_INPUTS");
        std::filesystem::remove_all(folder_);
    }
    KeepsInputs(const KeepsInputs&) = delete;
    KeepsInputs& operator=(const KeepsInputs&) = delete;

 private:
    const std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                          ("coopvk-input-commands-" + std::to_string(getpid()));
};

class InputCommands : KeepsInputs, public ShaderRoutes {
 protected:
    InputCommands() {
        stop();
        driver.recordsAll = true;
        start();
        pipeline = makePipeline();
        VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        info.commandBufferCount = 1;
        EXPECT_EQ(call<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(device, &info,
                                                                                 &commands),
                  VK_SUCCESS);
        call<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(commands, kPoint, pipeline);
    }
    ~InputCommands() override {
        call<PFN_vkFreeCommandBuffers>("vkFreeCommandBuffers")(device, VK_NULL_HANDLE, 1,
                                                               &commands);
        call<PFN_vkDestroyPipeline>("vkDestroyPipeline")(device, pipeline, nullptr);
        for (VkBuffer buffer : buffers)
            call<PFN_vkDestroyBuffer>("vkDestroyBuffer")(device, buffer, nullptr);
    }

    template <typename Function>
    Function call(const char* name) {
        return reinterpret_cast<Function>(driver.deviceCommand(device, name));
    }
    VkPipeline makePipeline() {
        VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = stageOf(makeModule(matrix));
        VkPipeline bound = VK_NULL_HANDLE;
        EXPECT_EQ(call<PFN_vkCreateComputePipelines>("vkCreateComputePipelines")(
                      device, VK_NULL_HANDLE, 1, &info, nullptr, &bound),
                  VK_SUCCESS);
        return bound;
    }
    VkBuffer makeBuffer(VkDeviceSize size, const void* chain = nullptr) {
        VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, chain};
        info.size = size;
        EXPECT_EQ(call<PFN_vkCreateBuffer>("vkCreateBuffer")(device, &info, nullptr,
                                                             &buffers.emplace_back()),
                  VK_SUCCESS);
        return buffers.back();
    }
    // The sizes of the copies from a buffer.
    std::vector<uint64_t> copiesFrom(VkBuffer buffer) const {
        std::vector<uint64_t> sizes;
        for (const auto& [name, values] : driver.seenCommands) {
            if (name == "vkCmdCopyBuffer" && values[0] == numberOf(buffer))
                sizes.push_back(values[1]);
        }
        return sizes;
    }
    layer::inputs::DispatchInputs& inputs() { return *layer::deviceOf(device).inputs; }
    void dispatchIndirect(VkBuffer buffer) {
        call<PFN_vkCmdDispatchIndirect>("vkCmdDispatchIndirect")(commands, buffer, 0);
    }

    static constexpr auto kPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::vector<VkBuffer> buffers;
};

}  // namespace coopvk::test
