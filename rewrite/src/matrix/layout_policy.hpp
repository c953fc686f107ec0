// SPDX-License-Identifier: Apache-2.0
//
// How the fragments of a module's matrices are to lie.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Chooses one policy for the module from the matrices it multiplies and how it loads and stores
// them, as far as target.tuning leaves a choice. Results do not depend on it, speed does:
// docs/benchmarks.md has the measurements.
LayoutPolicy choosePolicy(const Module& module, const TypeTable& types, const Target& target);

}  // namespace coopvk::rewrite
