// SPDX-License-Identifier: Apache-2.0
//
// Which matrix types a module has, and how its fragments are to lie.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Chooses one policy for the module from the matrices it multiplies and how it loads them.
LayoutPolicy choosePolicy(const Module& module, const TypeTable& types, const Target& target);

// Components per invocation under a policy, as far as the type's operands are known constants.
std::optional<uint32_t> matrixLength(const TypeTable& types, const LayoutPolicy& policy,
                                     Id matrixType);

// Fills context.matrices and redefines each type as an array of packs.
void lowerMatrixTypes(LoweringContext& context);

}  // namespace coopvk::rewrite
