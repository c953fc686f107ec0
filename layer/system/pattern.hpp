// SPDX-License-Identifier: Apache-2.0
//
// Patterns where there is no fnmatch(3), as on Windows. All systems build it, so that tests can
// compare it with fnmatch.
#pragma once

#include <string_view>

namespace coopvk::layer::system {

// '*', '?', '[a-z]' and '\\' as fnmatch(3) has them, but for classes such as '[:alpha:]'.
bool matchesWithoutFnmatch(std::string_view pattern, std::string_view name, bool ignoreCase);

}  // namespace coopvk::layer::system
