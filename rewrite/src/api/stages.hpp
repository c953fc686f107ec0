// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "coopvk/rewrite.hpp"
#include "ir/instruction.hpp"

namespace coopvk::rewrite {

// The stage that entry points of an execution model are for; nullopt: none of Vulkan's.
std::optional<Stage> stageOf(spv::ExecutionModel model);

}  // namespace coopvk::rewrite
