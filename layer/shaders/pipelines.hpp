// SPDX-License-Identifier: Apache-2.0
//
// Code that the commands for all kinds of pipelines share.
#pragma once

#include "objects/context.hpp"
#include "shaders/pipeline_batch.hpp"
#include "shaders/stage_builder.hpp"

namespace coopvk::layer {

// Prepares a create info, which is the caller's copy: replaces its stages. `changed`: becomes true
// if any was replaced. Here the only shaders are in an array.
template <typename Info>
VkResult buildStages(BuiltStages& built, Info& info, bool& changed) {
    return built.buildArray(info.stageCount, info.pStages, pipelineFlags(info), changed);
}

inline VkResult buildCompute(BuiltStages& built, VkComputePipelineCreateInfo& info, bool& changed) {
    return built.build(info.stage, pipelineFlags(info), changed);
}

// Of graphics, the stages of shader groups, too.
VkResult buildGraphics(BuiltStages& built, VkGraphicsPipelineCreateInfo& info, bool& changed);

// Whether a graphics pipeline (or pipeline library) reads its pStages; if not, they may be invalid.
bool readsStages(const VkGraphicsPipelineCreateInfo& info);

// Whether a pipeline consists of binaries. Then Vulkan ignores its modules, identifiers of modules
// and words, which need not exist any more.
template <typename Info>
bool isFromBinaries(const Info& info) {
    const auto* binaries =
        findNode<VkPipelineBinaryInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR);
    return binaries != nullptr && binaries->binaryCount != 0;
}

// A driver finds its binaries by the rest of the stage, which the layer changed when they were
// made: the subgroup size that it required, the specialization that it froze. A module that still
// exists tells what these were. Without one, the stage stays as it is.
template <typename Info, typename Prepare>
void prepareFromBinaries(BuiltStages& built, Info& info, bool& changed, const Prepare& prepare) {
    Info prepared = info;
    bool preparedChanged = false;
    built.read(StageShaders::kModulesThatExist);
    if (prepare(built, prepared, preparedChanged) == VK_SUCCESS) {
        info = prepared;
        changed = preparedChanged;
    }
    built.read(StageShaders::kAll);
}

// createPipelineBatch with stages that live until it is done: prepare(built, info, changed).
template <typename Info, typename Prepare, typename Create>
VkResult createPipelines(BuiltStages& built, std::span<const Info> infos, VkPipeline* pipelines,
                         const Prepare& prepare, const Create& create) {
    const auto prepareOne = [&](Info& info, bool& changed) {
        if (!isFromBinaries(info)) return prepare(built, info, changed);
        prepareFromBinaries(built, info, changed, prepare);
        return VK_SUCCESS;
    };
    const auto createAndTell = [&](uint32_t count, const Info* list, VkPipeline* out) {
        const VkResult result = create(count, list, out);
        built.work().driverReturned(result);
        return result;
    };
    return createPipelineBatch(infos, pipelines, built.scratch(), prepareOne, createAndTell);
}

// The same with stages that are not needed afterwards. If the device emulates nothing, calls the
// next layer directly.
template <typename Info, typename Prepare, typename Create>
VkResult createPipelines(DeviceContext& device, const VkAllocationCallbacks* allocator,
                         std::span<const Info> infos, VkPipeline* pipelines, const Prepare& prepare,
                         const Create& create) {
    if (!device.rewrites()) {
        return create(static_cast<uint32_t>(infos.size()), infos.data(), pipelines);
    }
    BuiltStages built(device, allocator);
    return createPipelines(built, infos, pipelines, prepare, create);
}

}  // namespace coopvk::layer
