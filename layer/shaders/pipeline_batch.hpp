// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <span>
#include <vector>

#include "chain/pnext.hpp"
#include "chain/scratch.hpp"

namespace coopvk::layer {

// A create info's flags, from the one of the two places that has them.
template <typename Info>
VkPipelineCreateFlags2 pipelineFlags(const Info& info) {
    const auto* flags = findNode<VkPipelineCreateFlags2CreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
    return flags != nullptr ? flags->flags : info.flags;
}

// Removes the base pipeline from a create info. False if its chain cannot be copied.
template <typename Info>
bool dropBase(Info& info, Scratch& scratch) {
    constexpr auto kFlags2 = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
    info.flags &= ~static_cast<VkPipelineCreateFlags>(VK_PIPELINE_CREATE_DERIVATIVE_BIT);
    info.basePipelineHandle = VK_NULL_HANDLE;
    info.basePipelineIndex = -1;
    if (findNode(info.pNext, kFlags2) == nullptr) return true;
    ChainEditor chain(info.pNext, scratch);
    auto* flags = chain.edit<VkPipelineCreateFlags2CreateInfo>(kFlags2);
    if (flags == nullptr) return false;
    flags->flags &= ~VK_PIPELINE_CREATE_2_DERIVATIVE_BIT;
    info.pNext = chain.head();
    return true;
}

// The index of a base pipeline in an array is invalid if each info has a call of its own: this
// replaces the index by the pipeline. Deriving is a hint, so a pipeline whose base does not exist
// is created without it. False as above.
template <typename Info>
bool resolveOwnBase(Info& info, std::span<const VkPipeline> made, Scratch& scratch) {
    const bool derived = (pipelineFlags(info) & VK_PIPELINE_CREATE_2_DERIVATIVE_BIT) != 0;
    if (!derived || info.basePipelineIndex < 0) return true;
    const auto base = static_cast<size_t>(info.basePipelineIndex);
    if (base >= made.size() || made[base] == VK_NULL_HANDLE) return dropBase(info, scratch);
    info.basePipelineHandle = made[base];
    info.basePipelineIndex = -1;
    return true;
}

// The same for create infos of every kind.
template <typename Info>
bool resolveBase(Info& info, std::span<const VkPipeline> made, Scratch& scratch) {
    if constexpr (!requires { info.basePipelineIndex; })
        return true;  // derives from nothing
    else
        return resolveOwnBase(info, made, scratch);
}

// Marks the creation feedback of a pipeline as invalid, until the driver fills it in.
template <typename Info>
void clearFeedback(const Info& info) {
    const auto* node = findNode<VkPipelineCreationFeedbackCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    if (node == nullptr) return;
    if (node->pPipelineCreationFeedback != nullptr) *node->pPipelineCreationFeedback = {};
    std::fill_n(node->pPipelineStageCreationFeedbacks, node->pipelineStageCreationFeedbackCount,
                VkPipelineCreationFeedback{});
}

// Creates the pipelines whose create infos could be prepared, one after the other. As Vulkan
// requires for an array in which some fail, failed pipelines are null, the others exist, and
// VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT ends the loop.
template <typename Info, typename Create>
VkResult createOneByOne(std::span<const Info> infos, std::span<const VkResult> prepared,
                        VkPipeline* pipelines, Scratch& scratch, const Create& create) {
    VkResult overall = VK_SUCCESS;
    for (const Info& info : infos) clearFeedback(info);
    for (size_t i = 0; i < infos.size(); ++i) {
        VkResult result = prepared[i];
        Info info = infos[i];
        if (result == VK_SUCCESS && !resolveBase(info, std::span(pipelines, i), scratch)) {
            result = VK_ERROR_UNKNOWN;
        }
        if (result == VK_SUCCESS) result = create(1, &info, &pipelines[i]);
        if (result == VK_SUCCESS) continue;
        // An error takes precedence over "compile required", and the first error over later ones.
        if (overall == VK_SUCCESS || (overall > 0 && result < 0)) overall = result;
        if (pipelineFlags(infos[i]) & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT) break;
    }
    return overall;
}

// prepare(info, changed) edits a copy of a create info in place; create(count, infos, pipelines)
// calls the next layer. If nothing changed, the next layer gets the application's array.
template <typename Info, typename Prepare, typename Create>
VkResult createPipelineBatch(std::span<const Info> infos, VkPipeline* pipelines, Scratch& scratch,
                             const Prepare& prepare, const Create& create) {
    // Pipelines that this function does not create, also because of an exception, must be null.
    std::fill_n(pipelines, infos.size(), VkPipeline(VK_NULL_HANDLE));
    Info* copies = nullptr;
    std::vector<VkResult> results;
    bool failed = false;
    for (size_t i = 0; i < infos.size(); ++i) {
        Info info = infos[i];
        bool changed = false;
        const VkResult result = prepare(info, changed);
        if (!changed && result == VK_SUCCESS) continue;
        if (copies == nullptr) {
            copies = scratch.copyArray(infos);
            results.assign(infos.size(), VK_SUCCESS);
        }
        copies[i] = info;
        results[i] = result;
        failed = failed || result != VK_SUCCESS;
    }
    const auto count = static_cast<uint32_t>(infos.size());
    if (copies == nullptr) return create(count, infos.data(), pipelines);
    if (!failed) return create(count, copies, pipelines);
    return createOneByOne(std::span<const Info>(copies, count), std::span<const VkResult>(results),
                          pipelines, scratch, create);
}

}  // namespace coopvk::layer
