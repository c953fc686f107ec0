// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/instruction.hpp"

namespace coopvk::rewrite {

// Whether entry points of an execution model make shaders of a stage.
bool isModelOf(Stage stage, spv::ExecutionModel model);

}  // namespace coopvk::rewrite
