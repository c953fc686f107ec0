// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "coopvk/rewrite.hpp"
#include "ir/instruction.hpp"

namespace coopvk::rewrite {

// The Vulkan stage of an execution model; nullopt if Vulkan has none for it.
std::optional<Stage> stageOf(spv::ExecutionModel model);

}  // namespace coopvk::rewrite
