// SPDX-License-Identifier: Apache-2.0
//
// Hints on loops around matrix products.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Products in each invocation, a turn, up to which a loop may be unrolled. On an H200, a product of
// matrices with 1024 gains from it and one with 2048 loses half its speed.
inline constexpr uint64_t kMaxUnrolledProducts = 1024;

// Components in each invocation up to which its accumulators may stay in registers: two f16 in each
// of 512, the most that an invocation has on any GPU (AMD's CDNA).
inline constexpr uint64_t kMostInRegisters = 1024;

// One multiply-add becomes a hundred instructions and more. A loop around many of them, unrolled as
// shaders commonly ask, no longer fits a processor's instruction cache and takes long to compile,
// so this asks the driver not to unroll it, unless the loop picks matrices out of arrays by its
// counter, and they are few enough to stay in registers if it is unrolled. `unrolled`: how many
// products of an invocation may be.
void keepProductLoopsRolled(Module& module, uint32_t subgroupSize,
                            uint64_t unrolled = kMaxUnrolledProducts);

}  // namespace coopvk::rewrite
