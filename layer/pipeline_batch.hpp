// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <span>
#include <vector>

#include "pnext.hpp"
#include "scratch.hpp"

namespace coopvk::layer {

// A create info's flags, in whichever of the two places they stand.
template <typename Info>
VkPipelineCreateFlags2 pipelineFlags(const Info& info) {
    const auto* flags = findNode<VkPipelineCreateFlags2CreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
    return flags != nullptr ? flags->flags : info.flags;
}

// Makes a create info that names no base. False if its chain cannot be copied.
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

// An index into the array of one call means nothing in a call of the info's own: names the pipeline
// instead. Deriving is a hint, so one whose base does not exist is made without. False as above.
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

// Says that nothing is known of a pipeline's creation, until a driver that makes it says more.
template <typename Info>
void clearFeedback(const Info& info) {
    const auto* node = findNode<VkPipelineCreationFeedbackCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    if (node == nullptr) return;
    if (node->pPipelineCreationFeedback != nullptr) *node->pPipelineCreationFeedback = {};
    std::fill_n(node->pPipelineStageCreationFeedbacks, node->pipelineStageCreationFeedbackCount,
                VkPipelineCreationFeedback{});
}

// Creates the pipelines whose create infos could be prepared, one after the other, as Vulkan asks
// for an array in which some fail: those are null, the others exist, and VK_PIPELINE_CREATE_
// EARLY_RETURN_ON_FAILURE_BIT ends it.
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
        // An error counts for more than "compile required", the first one for more than others.
        if (overall == VK_SUCCESS || (overall > 0 && result < 0)) overall = result;
        if (pipelineFlags(infos[i]) & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT) break;
    }
    return overall;
}

// prepare(info, changed) edits a copy of a create info in place; create(count, infos, pipelines)
// calls the next layer. What nobody changed goes down as it came.
template <typename Info, typename Prepare, typename Create>
VkResult createPipelineBatch(std::span<const Info> infos, VkPipeline* pipelines, Scratch& scratch,
                             const Prepare& prepare, const Create& create) {
    // What this function is left without making, by an exception too, must not look made.
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
