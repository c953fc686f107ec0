// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shaders/stage_builder.hpp"

namespace coopvk::layer {

// Whether a graphics pipeline (or pipeline library) reads its pStages; if not, they may be invalid.
bool readsStages(const VkGraphicsPipelineCreateInfo& info);

// Replaces the stages of `info`, which is the caller's copy, and of its shader groups.
VkResult buildGraphics(BuiltStages& built, VkGraphicsPipelineCreateInfo& info, bool& changed);

}  // namespace coopvk::layer
