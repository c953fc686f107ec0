// SPDX-License-Identifier: Apache-2.0
//
// Whether the ids of a module that was just read are what they must be for passes to follow them.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// What is wrong: an id that is used and not defined, or a type or constant that is used before its
// definition, and so may be part of itself.
std::optional<std::string> idProblem(const Module& module);

}  // namespace coopvk::rewrite
