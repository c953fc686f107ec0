// SPDX-License-Identifier: Apache-2.0
#include "shaders/pipeline_batch.hpp"

#include <gtest/gtest.h>

#include <array>

namespace coopvk::layer::pipeline_batch_test {
namespace {

using Info = VkComputePipelineCreateInfo;

VkPipeline handleOf(uint64_t number) { return reinterpret_cast<VkPipeline>(number); }
size_t numberOf(VkPipelineLayout layout) {
    return static_cast<size_t>(reinterpret_cast<uint64_t>(layout));
}

// A batch whose infos have layouts with different numbers.
class Batches : public testing::Test {
 protected:
    Batches() {
        for (uint32_t i = 0; i < 4; ++i) {
            infos[i].sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
            infos[i].layout = reinterpret_cast<VkPipelineLayout>(uint64_t{i});
            infos[i].basePipelineIndex = -1;
        }
        pipelines.assign(4, handleOf(999));
    }
    // prepare(i): the result of preparing one; changing[i]: whether its copy differs.
    VkResult make() {
        return createPipelineBatch(
            std::span<const Info>(infos), pipelines.data(), scratch,
            [&](Info& info, bool& changed) {
                const size_t i = numberOf(info.layout);
                changed = changing[i];
                if (changed) info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
                return prepared[i];
            },
            [&](uint32_t count, const Info* list, VkPipeline* out) {
                ++calls;
                VkResult result = VK_SUCCESS;
                for (uint32_t k = 0; k < count; ++k) {
                    const size_t i = numberOf(list[k].layout);
                    seen.push_back(list[k]);
                    lastList = list;
                    out[k] = created[i] == VK_SUCCESS ? handleOf(i + 1) : VK_NULL_HANDLE;
                    if (created[i] != VK_SUCCESS) result = created[i];
                }
                return result;
            });
    }

    std::array<Info, 4> infos = {};
    std::array<bool, 4> changing = {};
    std::array<VkResult, 4> prepared = {}, created = {};
    std::vector<VkPipeline> pipelines;
    std::vector<Info> seen;
    const Info* lastList = nullptr;
    int calls = 0;
    Scratch scratch;
};

TEST_F(Batches, UntouchedGoDownAsTheyCame) {
    EXPECT_EQ(make(), VK_SUCCESS);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(lastList, infos.data());
}

TEST_F(Batches, ChangedOnesInOneCall) {
    changing[2] = true;
    EXPECT_EQ(make(), VK_SUCCESS);
    EXPECT_EQ(calls, 1);
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen[2].stage.stage, VK_SHADER_STAGE_COMPUTE_BIT);
    EXPECT_EQ(seen[1].stage.stage, 0);
    EXPECT_EQ(infos[2].stage.stage, 0) << "the application's own memory";
}

TEST_F(Batches, OneThatFailsLeavesTheOthers) {
    changing.fill(true);
    prepared[1] = VK_ERROR_UNKNOWN;
    EXPECT_EQ(make(), VK_ERROR_UNKNOWN);
    EXPECT_EQ(pipelines,
              (std::vector<VkPipeline>{handleOf(1), VK_NULL_HANDLE, handleOf(3), handleOf(4)}));
}

TEST_F(Batches, EarlyReturn) {
    changing.fill(true);
    prepared[1] = VK_ERROR_UNKNOWN;
    infos[1].flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    EXPECT_EQ(make(), VK_ERROR_UNKNOWN);
    EXPECT_EQ(pipelines, (std::vector<VkPipeline>{handleOf(1), VK_NULL_HANDLE, VK_NULL_HANDLE,
                                                  VK_NULL_HANDLE}));
}

// With the flags in either of the two places.
TEST_F(Batches, EarlyReturnByTheNewerFlags) {
    changing.fill(true);
    prepared[0] = VK_ERROR_UNKNOWN;
    VkPipelineCreateFlags2CreateInfo flags = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO,
                                              nullptr,
                                              VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT};
    infos[0].pNext = &flags;
    EXPECT_EQ(make(), VK_ERROR_UNKNOWN);
    EXPECT_EQ(calls, 0);
    for (VkPipeline pipeline : pipelines) EXPECT_EQ(pipeline, handleOf(0));
}

// An error takes precedence over the driver's "compile required", whichever comes first.
TEST_F(Batches, ErrorsCountMost) {
    changing.fill(true);
    created[0] = VK_PIPELINE_COMPILE_REQUIRED;
    prepared[2] = VK_ERROR_OUT_OF_HOST_MEMORY;
    created[3] = VK_ERROR_UNKNOWN;
    EXPECT_EQ(make(), VK_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(pipelines, (std::vector<VkPipeline>{VK_NULL_HANDLE, handleOf(2), VK_NULL_HANDLE,
                                                  VK_NULL_HANDLE}));
}

// An index into the array becomes the handle that it stands for.
TEST_F(Batches, DerivativesByIndex) {
    changing.fill(true);
    infos[1].flags = infos[3].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    infos[1].basePipelineIndex = 0;
    infos[3].basePipelineIndex = 2;
    prepared[2] = VK_ERROR_UNKNOWN;
    EXPECT_EQ(make(), VK_ERROR_UNKNOWN);
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[1].basePipelineHandle, handleOf(1));
    EXPECT_EQ(seen[1].basePipelineIndex, -1);
    EXPECT_EQ(seen[1].flags, VK_PIPELINE_CREATE_DERIVATIVE_BIT);
    EXPECT_EQ(pipelines[3], handleOf(4)) << "made without its base";
    EXPECT_EQ(seen[2].flags, 0u);
    EXPECT_EQ(seen[2].basePipelineHandle, handleOf(0));
    EXPECT_EQ(seen[2].basePipelineIndex, -1);
}

// If the base would have to be compiled, that is no error for the pipeline that derives from it.
TEST_F(Batches, DerivativesOfWhatMustBeCompiled) {
    changing.fill(true);
    created[0] = VK_PIPELINE_COMPILE_REQUIRED;
    prepared[3] = VK_PIPELINE_COMPILE_REQUIRED;
    infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    infos[1].basePipelineIndex = 0;
    EXPECT_EQ(make(), VK_PIPELINE_COMPILE_REQUIRED);
    EXPECT_EQ(pipelines,
              (std::vector<VkPipeline>{VK_NULL_HANDLE, handleOf(2), handleOf(3), VK_NULL_HANDLE}));
    EXPECT_EQ(seen[1].flags, 0u);
}

TEST_F(Batches, BasesAreDroppedFromTheNewerFlags) {
    changing.fill(true);
    prepared[0] = VK_ERROR_UNKNOWN;
    VkPipelineCreateFlags2CreateInfo flags = {
        VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
        VK_PIPELINE_CREATE_2_DERIVATIVE_BIT | VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT};
    infos[1].pNext = &flags;
    infos[1].basePipelineIndex = 0;
    EXPECT_EQ(make(), VK_ERROR_UNKNOWN);
    EXPECT_EQ(pipelines[1], handleOf(2));
    EXPECT_EQ(pipelineFlags(seen[0]),
              VkPipelineCreateFlags2{VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT});
    EXPECT_NE(flags.flags & VK_PIPELINE_CREATE_2_DERIVATIVE_BIT, 0u) << "the application's own";
}

TEST_F(Batches, DerivativesByIndexWithoutFailuresStayOneCall) {
    changing.fill(true);
    infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    infos[1].basePipelineIndex = 0;
    EXPECT_EQ(make(), VK_SUCCESS);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(seen[1].basePipelineIndex, 0);
}

}  // namespace
}  // namespace coopvk::layer::pipeline_batch_test
