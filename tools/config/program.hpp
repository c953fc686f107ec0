// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "program_names.hpp"

namespace coopvk::tool {

// The names that a program will have which a command starts, as far as they can be told before: an
// engine's and an application's cannot.
layer::ProgramNames namesOf(const std::vector<std::string>& command);

}  // namespace coopvk::tool
