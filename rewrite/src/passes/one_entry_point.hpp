// SPDX-License-Identifier: Apache-2.0
//
// A rewritten module serves one pipeline stage. What it has for others is not lowered for this
// one's stage, and could not always be: it goes.
#pragma once

#include <string_view>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Leaves the one entry point of a name and a stage (of the stage alone, where the name is empty:
// the first), and the functions that it reaches. Error: kInvalidArgument, there is none.
std::optional<Error> keepOneEntryPoint(Module& module, std::string_view name, Stage stage);

}  // namespace coopvk::rewrite
