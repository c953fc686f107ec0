// SPDX-License-Identifier: Apache-2.0
//
// What modules declare: capabilities, modes, interfaces, decorations. No execution on the reference
// device compares it.
#pragma once

#include <string>

#include "module.hpp"

namespace coopvk::check {

// In words, the first declaration of the rewritten module that the original has otherwise, or has
// not, or that is missing in it; else empty. What executions and terms account for may differ:
// these declarations are listed, and all others count, also those that nobody has thought of.
std::string otherDeclaration(const Module& original, const Module& rewritten);

// Whether the rewritten module needs more of a device than the original: capabilities, sizes of
// matrices, layouts of blocks.
bool needsMore(const Module& original, const Module& rewritten);

}  // namespace coopvk::check
