// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stage_builder.hpp"

namespace coopvk::layer {

// Whether a graphics pipeline (or pipeline library) reads its pStages at all; where it does not,
// they may hold anything.
bool readsStages(const VkGraphicsPipelineCreateInfo& info);

// Replaces the stages of `info`, which is the caller's copy, and of its shader groups.
VkResult buildGraphics(BuiltStages& built, VkGraphicsPipelineCreateInfo& info, bool& changed);

}  // namespace coopvk::layer
