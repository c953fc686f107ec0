// SPDX-License-Identifier: Apache-2.0
//
// The multiply-adds of products.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/fast_math.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// a * b + sum, where all have the type of `sum`: a float, or a vector of floats.
//
// NVIDIA's compiler splits a chain of these into two chains, and adds their sums: an instruction
// more for each four. The decoration prevents this (docs/benchmarks.md, "Chains of multiply-adds").
inline Id fusedMultiplyAdd(Emitter& emit, const DeviceTraits& device, Id a, Id b, Id sum) {
    const Id result = emit.glsl(GLSLstd450Fma, emit.typeOf(sum), {a, b, sum});
    if (hasManyRegisters(device)) forbidContraction(emit.module(), result);
    return result;
}

}  // namespace coopvk::rewrite
