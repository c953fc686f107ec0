// SPDX-License-Identifier: Apache-2.0
//
// Checks of a parsed module's ids on which all passes rely.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// What is wrong, if anything: an id that is used but not defined, a type or constant that is used
// before its definition and so could contain itself, or a type that nests too deeply.
std::optional<std::string> idProblem(const Module& module);

}  // namespace coopvk::rewrite
