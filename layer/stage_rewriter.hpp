// SPDX-License-Identifier: Apache-2.0
//
// Rewrites one shader stage with emulated capabilities to words that the driver accepts.
#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "dump.hpp"
#include "rewrite_cache.hpp"
#include "shader_modules.hpp"

namespace coopvk::layer {

struct DeviceContext;
struct DeviceFacts;

struct StageRequest {
    ShaderWordsRef words;
    VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    const char* entryPoint = nullptr;
    const VkSpecializationInfo* specialization = nullptr;
    uint32_t requiredSubgroupSize = 0;  // 0: the application requires no size
    bool indexes64Bits = false;         // a flag of the pipeline or shader object
};

// What the layer asks the driver for, besides what the application does.
struct SubgroupNeeds {
    uint32_t size = 0;  // 0: no required size
    bool full = false;  // full subgroups
};

// A compute shader of whose dispatches the inputs are kept.
struct DumpedShader {
    DumpedRequest request;
    bool usesAddresses = false;
};
using DumpedShaderRef = std::shared_ptr<const DumpedShader>;

struct StagePlan {
    RewrittenRef rewritten;
    uint32_t subgroupSize = 0;
    SubgroupNeeds needs;
    DumpedShaderRef dumped;  // null unless inputs are kept
};

VkResult rewriteStage(DeviceContext& device, const StageRequest& request, StagePlan& plan);

// The parts, each a pure function.

// Whether a subgroup size can be required for the stage, and has an effect.
bool canRequireSize(const DeviceFacts& facts, VkShaderStageFlagBits stage);
// The sizes to try, the best first.
std::vector<uint32_t> subgroupSizes(const DeviceFacts& facts, const StageRequest& request);
// Whether a workgroup fills its subgroups of this size, and does not have too many of them.
bool workgroupFits(const DeviceFacts& facts, const rewrite::Rewritten& rewritten, uint32_t size);
// False if the data contradicts itself.
bool readSpecialization(const VkSpecializationInfo* info,
                        std::vector<rewrite::SpecializationEntry>& entries);
VkResult resultOf(rewrite::ErrorCode code);
std::string_view stageName(VkShaderStageFlagBits stage);

}  // namespace coopvk::layer
