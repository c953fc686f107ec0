// SPDX-License-Identifier: Apache-2.0
//
// Where reports go: to messengers, or to the loss of the device.
#include <cstdlib>

#include "programs.hpp"

// Needs the types above.
#include "outside.spv.h"

namespace coopvk::reference::test::report_test {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

// The setting is read when the instance is made.
class Reports : public Vulkan, public testing::WithParamInterface<const char*> {
 protected:
    void SetUp() override {
        setenv("COOPVK_REFERENCE_REPORT", GetParam(), 1);
        Vulkan::SetUp();
    }
    void TearDown() override {
        Vulkan::TearDown();
        unsetenv("COOPVK_REFERENCE_REPORT");
    }
};

TEST_P(Reports, OfReadsOutsideOfABuffer) {
    Layout layout(device, {binding(0, kStorage)});
    const VkDescriptorSet set = layout.allocate();
    Words result(device, {7, 7});
    const VkDescriptorBufferInfo info = result.info();
    const VkWriteDescriptorSet change = write(set, 0, kStorage, {&info, 1});
    vkUpdateDescriptorSets(device, 1, &change, 0, nullptr);
    const VkPipeline pipeline = layout.pipeline(kOutsideWords);
    const VkResult finished = run([&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0, 1,
                                &set, 0, nullptr);
        vkCmdDispatch(commands, 1, 1, 1);
    });
    const bool loses = std::string_view(GetParam()) == "error";
    const bool silent = std::string_view(GetParam()) == "ignore";
    EXPECT_EQ(finished, loses ? VK_ERROR_DEVICE_LOST : VK_SUCCESS);
    const std::vector<std::string> messages = takeMessages();
    ASSERT_EQ(messages.empty(), silent);
    if (!silent) {
        EXPECT_NE(messages[0].find("coopvk-reference-bounds"), std::string::npos) << messages[0];
    }
    if (!loses) {
        EXPECT_EQ(result[0], 0u);
    }
}
INSTANTIATE_TEST_SUITE_P(Actions, Reports, testing::Values("ignore", "message", "error"));

}  // namespace
}  // namespace coopvk::reference::test::report_test
