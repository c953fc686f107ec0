// SPDX-License-Identifier: Apache-2.0
#include "rewriting.hpp"

#include <algorithm>

#include "coopvk/held_matrices.hpp"
#include "coopvk/vector_matrix.hpp"

namespace coopvk::check {

using reference::Choice;
using rewrite::BackEnd;

rewrite::Target targetFor(const Subject& subject, uint32_t lanes, BackEnd backEnd) {
    rewrite::Target target = subject.target;
    target.subgroupSize = lanes;
    target.device.minSubgroupSize = std::min(target.device.minSubgroupSize, lanes);
    target.device.maxSubgroupSize = std::max(target.device.maxSubgroupSize, lanes);
    if (!subject.asRecorded) target.backEnd = backEnd;
    return target;
}

rewrite::Result<rewrite::Rewritten> rewriteFor(const Subject& subject,
                                               const std::string& entryPoint, uint32_t lanes,
                                               BackEnd backEnd) {
    std::vector<rewrite::SpecializationEntry> entries;
    for (const SpecializationValue& value : subject.specialization)
        entries.push_back(
            {value.constantId, std::as_bytes(std::span(&value.bits, 1)).first(value.size)});
    const auto words = rewrite::askForElements(rewrite::withLines(subject.words));
    return rewrite::rewrite({.words = words,
                             .stage = subject.stage.value_or(rewrite::Stage::kCompute),
                             .entryPoint = entryPoint,
                             .specialization = entries,
                             .maxSteps = subject.maxSteps},
                            targetFor(subject, lanes, backEnd));
}

std::optional<Choice> placementOf(rewrite::ElementLayout layout) {
    switch (layout) {
        case rewrite::ElementLayout::kNvidia:
            return Choice::kNvidia;
        case rewrite::ElementLayout::kRdna3:
            return Choice::kRdna3;
        case rewrite::ElementLayout::kRdna4:
            return Choice::kRdna4;
        default:
            return std::nullopt;
    }
}

std::optional<Choice> placementAt(const Subject& subject, const std::string& entryPoint,
                                  uint32_t lanes) {
    const rewrite::ElementLayout layout = subject.target.elementLayout;
    const bool mayChoose = layout == rewrite::ElementLayout::kAuto && subject.rewritten.empty() &&
                           rewrite::mayDependOnLayout(subject.words);
    if (!mayChoose) return placementOf(layout);
    const auto result = rewriteFor(subject, entryPoint, lanes, BackEnd::kCore);
    return result ? placementOf(result->elementLayout) : std::nullopt;
}

reference::OptimalLayout optimalLayoutOf(const Subject& subject) {
    return {uint32_t(rewrite::kOptimalLineAlignment),
            subject.target.device.blockedWeights ? uint32_t(rewrite::kBlockRows) : 1};
}

// Vectors are each invocation's own: subgroups that are not full compute them, too.
static bool needsWholeSubgroups(std::span<const uint32_t> words) {
    auto used = rewrite::scan(words, rewrite::ExtensionSet::all());
    used.erase(rewrite::Extension::kNvCooperativeVector);
    return std::ranges::any_of(
        rewrite::extensionTable(), [&](const rewrite::ExtensionInfo& extension) {
            return extension.fixesSubgroupSize && used.contains(extension.extension);
        });
}

std::string lackedSubgroups(const Subject& subject, const reference::Program& native,
                            uint32_t lanes) {
    const auto size = reference::workgroupSize(native);
    const bool isOfMatrices = needsWholeSubgroups(subject.words);
    if (isOfMatrices && uint64_t{size[0]} * size[1] * size[2] % lanes != 0)
        return "the workgroup is not whole subgroups";
    // VUID-VkPipelineShaderStageCreateInfo-module-08987
    if (!isOfMatrices && size[0] % lanes != 0 && needsWholeSubgroups(subject.rewritten))
        return "the other module has matrices, and a row of invocations is not whole subgroups";
    return {};
}

}  // namespace coopvk::check
