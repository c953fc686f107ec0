// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "settings/program_names.hpp"

namespace coopvk::tool {

// The names of the program that a command starts, as far as they are known before it runs: the
// names of engine and application are not.
layer::ProgramNames namesOf(const std::vector<std::string>& command);

}  // namespace coopvk::tool
