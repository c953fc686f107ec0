// SPDX-License-Identifier: Apache-2.0
//
// Conversions in a command buffer that has other state, too.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "fakes/recorded_conversions.hpp"

namespace coopvk::test {

using Commands = std::vector<SeenCommand>;

class ConversionState : public RecordedConversions {
 protected:
    ConversionState() : RecordedConversions(true) {}

    // The calls that the driver gets for a conversion.
    Commands convertNow() {
        driver.seenCommands.clear();
        record();
        return std::exchange(driver.seenCommands, {});
    }
    // The commands after the dispatch and its barrier, which restore the application's state.
    Commands restored(const Commands& all) const {
        for (size_t i = 0; i < all.size(); ++i) {
            if (all[i].name != "vkCmdDispatchBase") continue;
            EXPECT_EQ(all.at(i + 1), showsWrites);
            return {all.begin() + static_cast<std::ptrdiff_t>(i) + 2, all.end()};
        }
        ADD_FAILURE() << "nothing is dispatched";
        return {};
    }
    static bool calls(const Commands& all, std::string_view name) {
        return std::ranges::find(all, name, &SeenCommand::name) != all.end();
    }
    // Where the kernel reads its arguments: the bases in y and z, 15 bits of each, above the 64
    // bytes of a slot; and the constant of the pipeline.
    uint64_t addressOf(const SeenCommand& dispatch, uint64_t window) const {
        EXPECT_EQ(dispatch.name, "vkCmdDispatchBase");
        EXPECT_EQ(dispatch.values[0], 0u);
        EXPECT_LT(dispatch.values[1] | dispatch.values[2], 1u << 15);
        return window << 36 | dispatch.values[2] << 21 | dispatch.values[1] << 6;
    }
    uint64_t lastWindow() const { return driver.pipelines.back().stages[0].constants.at(0); }
    void bindPipeline(VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_COMPUTE) {
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdBindPipeline)(commands, point, pipeline);
    }
    void bindShader(VkShaderStageFlagBits stage, uint64_t number) {
        const auto shader = reinterpret_cast<VkShaderEXT>(number);
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdBindShadersEXT)(commands, 1, &stage, &shader);
    }
    VkCommandBuffer allocateOne(VkCommandBufferLevel level) {
        allocate.level = level;
        VkCommandBuffer made = VK_NULL_HANDLE;
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkAllocateCommandBuffers)(device, &allocate,
                                                                                  &made),
                  VK_SUCCESS);
        return made;
    }
    void freeOne(VkCommandBuffer one) {
        COOPVK_DEVICE_COMMAND(driver, device, vkFreeCommandBuffers)
        (device, allocate.commandPool, 1, &one);
    }
    void beginOne(VkCommandBuffer one) {
        const VkCommandBufferBeginInfo how = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        COOPVK_DEVICE_COMMAND(driver, device, vkBeginCommandBuffer)(one, &how);
    }

    const VkPipeline pipeline = reinterpret_cast<VkPipeline>(uint64_t{0xabc});
    const SeenCommand pipelineAgain = {"vkCmdBindPipeline", {0xabc}};
    // Barriers around the dispatches, for applications that name all commands with accesses of
    // transfers: these belong to conversions.
    static constexpr uint64_t kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const SeenCommand seesTransfers = {
        "vkCmdPipelineBarrier",
        {kCompute, kCompute, 0, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT}};
    const SeenCommand showsWrites = {"vkCmdPipelineBarrier",
                                     {kCompute, kCompute, VK_ACCESS_SHADER_WRITE_BIT, 0}};
};

}  // namespace coopvk::test
