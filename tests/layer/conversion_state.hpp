// SPDX-License-Identifier: Apache-2.0
//
// Conversions in a command buffer that has other state, too.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "recorded_conversions.hpp"

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
    // The commands after the dispatch, which restore the application's state.
    static Commands restored(const Commands& commands) {
        for (size_t i = 0; i < commands.size(); ++i) {
            if (commands[i].name != "vkCmdDispatch") continue;
            return {commands.begin() + static_cast<std::ptrdiff_t>(i) + 1, commands.end()};
        }
        ADD_FAILURE() << "nothing is dispatched";
        return {};
    }
    static bool calls(const Commands& commands, std::string_view name) {
        return std::ranges::find(commands, name, &SeenCommand::name) != commands.end();
    }
    void push(std::initializer_list<uint32_t> words) {
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdPushConstants)
        (commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(words.size() * 4),
         std::data(words));
    }
    void bindPipeline() {
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdBindPipeline)
        (commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    }

    const VkPipelineLayout layout = reinterpret_cast<VkPipelineLayout>(uint64_t{8});
    const VkPipeline pipeline = reinterpret_cast<VkPipeline>(uint64_t{0xabc});
    const SeenCommand pipelineAgain = {"vkCmdBindPipeline", {0xabc}};
};

}  // namespace coopvk::test
