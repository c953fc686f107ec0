// SPDX-License-Identifier: Apache-2.0
//
// Chooses how the matrices of a module are distributed.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Chooses by the sizes of the matrices, and by how the module loads, stores and multiplies them;
// target.tuning has precedence. Speed depends on the policy, results do not: docs/benchmarks.md has
// the measurements.
LayoutPolicy choosePolicy(const Module& module, const TypeTable& types, const Target& target);

}  // namespace coopvk::rewrite
