// SPDX-License-Identifier: Apache-2.0
//
// A network of three layers in one shader: 32 inputs, 128 and 64 hidden neurons, 16 outputs. Each
// subgroup computes 16 rows. The weights of a layer are in shared memory; what a layer computes
// becomes A of the next. The file that includes this defines SUM, the type of the sums, and, unless
// factors are f16, FACTOR and PER_VECTOR, their type and how many are in 16 bytes.
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require

#ifndef FACTOR
#define FACTOR float16_t
#define PER_VECTOR 8
#endif

layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Inputs { FACTOR inputs[]; };
layout(binding = 1) readonly buffer Weights { uvec4 weights[]; };  // of all layers, row by row
layout(binding = 2) writeonly buffer Outputs { SUM outputs[]; };

const uint kPadding = 1;  // uvec4 between rows
shared uvec4 staged[128 * (64 / PER_VECTOR + kPadding)];

// Brings the weights of a layer to shared memory.
void stage(uint first, uint rows, uint columns) {
    uint words = columns / PER_VECTOR;
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < rows * words; i += gl_WorkGroupSize.x) {
        staged[i / words * (words + kPadding) + i % words] = weights[first + i];
    }
    barrier();
}

SUM activation(const in uint row, const in uint column, const in SUM sum) {
    return max(sum, SUM(0.0));
}

#define A(k) coopmat<FACTOR, gl_ScopeSubgroup, 16, k, gl_MatrixUseA>
#define B(k, n) coopmat<FACTOR, gl_ScopeSubgroup, k, n, gl_MatrixUseB>
#define SUMS(n) coopmat<SUM, gl_ScopeSubgroup, 16, n, gl_MatrixUseAccumulator>

// The layer of `k` inputs and `n` outputs: sums = a * weights.
#define LAYER(k, n, first, a, sums)                                                   \
    stage(first, k, n);                                                               \
    B(k, n) weights_##k;                                                              \
    coopMatLoad(weights_##k, staged, 0, n / PER_VECTOR + kPadding,                    \
                gl_CooperativeMatrixLayoutRowMajor);                                  \
    SUMS(n) sums = coopMatMulAdd(a, weights_##k, SUMS(n)(0.0));

void main() {
    uint row = (gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID) * 16;
    A(32) first;
    coopMatLoad(first, inputs, row * 32, 32, gl_CooperativeMatrixLayoutRowMajor);
    LAYER(32, 128, 0, first, first_sums)
    coopMatPerElementNV(first_sums, first_sums, activation);
    A(128) second = A(128)(first_sums);
    LAYER(128, 64, 32 * 128 / PER_VECTOR, second, second_sums)
    coopMatPerElementNV(second_sums, second_sums, activation);
    A(64) third = A(64)(second_sums);
    LAYER(64, 16, (32 * 128 + 128 * 64) / PER_VECTOR, third, third_sums)
    coopMatStore(third_sums, outputs, row * 16, 16, gl_CooperativeMatrixLayoutRowMajor);
}
