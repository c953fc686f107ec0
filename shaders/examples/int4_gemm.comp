#version 460
// SPDX-License-Identifier: Apache-2.0
//
// result = weights x activations with 4-bit weights and 8-bit activations, as quantised networks
// have them: weights 16 x depth (two to a byte, row by row), activations depth x 16.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#include "coopvk_int4.glsl"

layout(local_size_x_id = 0) in;  // one subgroup
layout(constant_id = 1) const uint depth = 64;

layout(set = 0, binding = 0) readonly buffer Weights { uint weights[]; };
layout(set = 0, binding = 1) readonly buffer Activations { int8_t activations[]; };
layout(set = 0, binding = 2) buffer Result { int result[]; };

const uint kRows = 16u, kColumns = 16u, kDepth = 32u;
#define Weight COOPVK_S4_MATRIX(kRows, kDepth, coopvkUseA)
#define Activation coopmat<int8_t, gl_ScopeSubgroup, kDepth, kColumns, gl_MatrixUseB>
#define Sum coopmat<int, gl_ScopeSubgroup, kRows, kColumns, gl_MatrixUseAccumulator>
COOPVK_INT4_MATRIX_FUNCTIONS(weight, Weight, uint)
COOPVK_INT4_MULTIPLY_ADD(multiplyAdd, Weight, Activation, Sum)

void main() {
    Sum sum = Sum(0);
    for (uint k = 0u; k < depth; k += kDepth) {
        // Eight weights are one uint.
        Weight a = weightLoad(weights[k / 8u], coopvkRowMajor, depth / 8u);
        Activation b;
        coopMatLoad(b, activations, k * kColumns, kColumns, gl_CooperativeMatrixLayoutRowMajor);
        sum = multiplyAdd(a, b, sum, 15u);
    }
    coopMatStore(sum, result, 0, kColumns, gl_CooperativeMatrixLayoutRowMajor);
}
