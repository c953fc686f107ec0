// SPDX-License-Identifier: Apache-2.0
//
// VkPipelineCreationFeedback of pipelines that the layer refuses: it must not keep the memory's
// contents from before, which an application could mistake for a result.
#include "fakes/shader_routes.hpp"

namespace coopvk::test::creation_feedback_test {
namespace {

class CreationFeedback : public ShaderRoutes {
 protected:
    // Feedback of a pipeline with two stages at most, poisoned.
    struct Feedback {
        VkPipelineCreationFeedback pipeline = kPoison;
        VkPipelineCreationFeedback stages[2] = {kPoison, kPoison};
        VkPipelineCreationFeedbackCreateInfo info = {
            VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, nullptr, &pipeline, 2,
            stages};

        void expectNothing() const {
            EXPECT_EQ(pipeline.flags, 0u);
            for (const auto& stage : stages) EXPECT_EQ(stage.flags, 0u);
        }
        void expectUntouched() const { EXPECT_EQ(pipeline.flags, kPoison.flags); }
    };
    static constexpr VkPipelineCreationFeedback kPoison = {
        VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
            VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT,
        0xdeadbeef};

    // A stage whose specialization makes no sense.
    VkPipelineShaderStageCreateInfo refusedStage() {
        VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
        stage.pSpecializationInfo = &contradiction;
        return stage;
    }

    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo contradiction = {1, &entry, 0, nullptr};
};

TEST_F(CreationFeedback, Compute) {
    Feedback refused, later, good;
    VkComputePipelineCreateInfo infos[3] = {
        {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &good.info},
        {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &refused.info},
        {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &later.info}};
    infos[0].stage = infos[2].stage = stageOf(makeModule(plain));
    infos[1].stage = refusedStage();
    infos[1].flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    VkPipeline pipelines[3] = {};
    testing::internal::CaptureStderr();
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
                  device, VK_NULL_HANDLE, 3, infos, nullptr, pipelines),
              VK_ERROR_UNKNOWN);
    testing::internal::GetCapturedStderr();
    refused.expectNothing();
    later.expectNothing();
    // The driver's feedback stays; this driver gives none.
    infos[0].pNext = &good.info;
    good = Feedback();
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
                  device, VK_NULL_HANDLE, 1, infos, nullptr, pipelines),
              VK_SUCCESS);
    good.expectUntouched();
}

TEST_F(CreationFeedback, Stages) {
    Feedback refused;
    const VkPipelineShaderStageCreateInfo stages[] = {stageOf(makeModule(plain)), refusedStage()};
    VkRayTracingPipelineCreateInfoKHR info = {
        VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR, &refused.info};
    info.stageCount = 2;
    info.pStages = stages;
    VkPipeline pipeline = VK_NULL_HANDLE;
    testing::internal::CaptureStderr();
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateRayTracingPipelinesKHR)(
                  device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
              VK_ERROR_UNKNOWN);
    testing::internal::GetCapturedStderr();
    refused.expectNothing();
}

// Neither member has to be there.
TEST_F(CreationFeedback, Incomplete) {
    VkPipelineCreationFeedbackCreateInfo nothing = {
        VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO};
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &nothing};
    info.stage = refusedStage();
    VkPipeline pipeline = VK_NULL_HANDLE;
    testing::internal::CaptureStderr();
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
                  device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
              VK_ERROR_UNKNOWN);
    testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace coopvk::test::creation_feedback_test
