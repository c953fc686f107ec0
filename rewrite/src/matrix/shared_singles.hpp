// SPDX-License-Identifier: Apache-2.0
//
// Shared memory from which a shader only loads f16 matrices for products with f32 sums has f32 in
// their place. Then each element is converted once, when the shader writes it, and not by each
// invocation that multiplies it. All values stay the same. The memory takes twice as many bytes.
#pragma once

#include "ir/types.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Changes such arrays, and the types of these matrices. Returns whether there were any, on a device
// that is faster so (docs/benchmarks.md) and has room for all of them.
bool holdSharedSingles(TypeTable& types, const Target& target);

}  // namespace coopvk::rewrite
