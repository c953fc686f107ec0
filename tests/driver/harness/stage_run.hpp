// SPDX-License-Identifier: Apache-2.0
//
// Runs a piece of GLSL in any stage, once for each of a number of invocations.
#pragma once

#include <string>
#include <vector>

#include "memory.hpp"

namespace coopvk::test {

// Whole subgroups and a part of one; in stages with workgroups, a single workgroup.
inline constexpr uint32_t kStageInvocations = 39;

// `source` contains extensions, declarations and `void work(uint i)`, without #version. It runs for
// i from 0 to kStageInvocations - 1 (in stages with workgroups to `workgroup` - 1). The addresses
// of the buffers are in `uint64_t address[]` of `table`, in the buffers' order. Returns the
// buffers' contents afterwards.
std::vector<Bytes> runStage(VkShaderStageFlagBits stage, const std::string& source,
                            const std::vector<Bytes>& buffers,
                            uint32_t workgroup = kStageInvocations);

// Every stage that runStage() knows.
const std::vector<VkShaderStageFlagBits>& allStages();
// "closest-hit", as the layer calls them in its log.
std::string stageName(VkShaderStageFlagBits stage);
// Empty if the device can run it, else why not.
std::string missing(VkShaderStageFlagBits stage);

}  // namespace coopvk::test
