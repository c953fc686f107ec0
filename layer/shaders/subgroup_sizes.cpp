// SPDX-License-Identifier: Apache-2.0
//
// The subgroup sizes for which a stage may be rewritten.
#include "device/device_facts.hpp"
#include "shaders/stage_rewriter.hpp"

namespace coopvk::layer {

bool canRequireSize(const DeviceFacts& facts, VkShaderStageFlagBits stage) {
    return facts.has(Feature::kSubgroupSizeControl) &&
           (facts.requiredSubgroupSizeStages & stage) != 0 &&
           facts.traits.minSubgroupSize < facts.traits.maxSubgroupSize;
}

std::vector<uint32_t> subgroupSizes(const DeviceFacts& facts, const StageRequest& request) {
    if (request.requiredSubgroupSize != 0) return {request.requiredSubgroupSize};
    const rewrite::DeviceTraits& traits = facts.traits;
    std::vector<uint32_t> sizes = {traits.subgroupSize};
    if (!canRequireSize(facts, request.stage)) return sizes;
    for (uint32_t size = traits.subgroupSize / 2; size >= traits.minSubgroupSize && size > 0;
         size /= 2) {
        sizes.push_back(size);
    }
    for (uint32_t size = traits.subgroupSize * 2; size != 0 && size <= traits.maxSubgroupSize;
         size *= 2) {
        sizes.push_back(size);
    }
    return sizes;
}

bool workgroupFits(const DeviceFacts& facts, const rewrite::Rewritten& rewritten, uint32_t size) {
    const auto [x, y, z] = rewritten.localSize;
    if (x == 0) return true;  // no workgroup in this stage
    if (x % size != 0) return false;
    const uint64_t total = uint64_t{x} * y * z;
    return facts.maxComputeWorkgroupSubgroups == 0 ||
           total <= uint64_t{size} * facts.maxComputeWorkgroupSubgroups;
}

}  // namespace coopvk::layer
