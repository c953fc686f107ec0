// SPDX-License-Identifier: Apache-2.0
//
// Rewrites one shader stage with emulated capabilities to words that the driver accepts.
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "objects/rewrite_cache.hpp"
#include "objects/shader_modules.hpp"
#include "objects/shader_objects.hpp"
#include "report/dump.hpp"

namespace coopvk::layer {

struct DeviceContext;
struct DeviceFacts;

struct StageRequest {
    ShaderWordsRef words;
    VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    const char* entryPoint = nullptr;
    const VkSpecializationInfo* specialization = nullptr;
    uint32_t requiredSubgroupSize = 0;  // 0: the application requires no size
    bool needsFullSubgroups = false;    // it requires them, or a size
    bool indexes64Bits = false;         // a flag of the pipeline or shader object
};

struct StagePlan {
    RewrittenRef rewritten;
    uint32_t subgroupSize = 0;
    bool isCached = false;
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
// What a module uses of that which the device emulates.
rewrite::ExtensionSet emulatedUses(const DeviceContext& device, std::span<const uint32_t> words);
VkResult resultOf(rewrite::ErrorCode code);
std::string_view stageName(VkShaderStageFlagBits stage);

}  // namespace coopvk::layer
