// SPDX-License-Identifier: Apache-2.0
//
// Loop controls of loops around matrix products.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// A loop may be unrolled up to so many multiplications of components in an invocation and
// iteration. On an H200, 1024 of them are faster unrolled, and 2048 half as fast.
inline constexpr uint64_t kMaxUnrolledProducts = 1024;

// Components of accumulators up to which an invocation may have them in registers: two f16 in each
// of 512, the most registers of an invocation on any GPU (AMD's CDNA).
inline constexpr uint64_t kMaxInRegisters = 1024;

// Sets DontUnroll on loops of more than `maxUnrolled` multiplications. A multiply-add becomes a
// hundred instructions or more. Many shaders request that loops around them are unrolled; then they
// exceed the instruction cache, and take long to compile. Loops stay unchanged that pick matrices
// out of arrays by their counter, if the accumulators fit registers once the loop is unrolled.
void keepProductLoopsRolled(Module& module, uint32_t subgroupSize,
                            uint64_t maxUnrolled = kMaxUnrolledProducts);

}  // namespace coopvk::rewrite
