// SPDX-License-Identifier: Apache-2.0
//
// A large accumulator of a subgroup becomes a factor, transposed: each lane gets many elements of other
// lanes. Compilers of drivers have crashed with this shader.
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_cooperative_matrix_maintenance1 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0, scalar) readonly buffer Sums { float16_t sums[]; };
layout(set = 0, binding = 1, scalar) writeonly buffer Factors { float16_t factors[]; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 48, 80, gl_MatrixUseAccumulator> from;
    coopmat<float16_t, gl_ScopeSubgroup, 80, 48, gl_MatrixUseA> to;
    coopMatLoad(from, sums, 0, 80, gl_CooperativeMatrixLayoutRowMajor);
    coopMatTransposeEXT(to, from);
    coopMatStore(to, factors, 0, 48, gl_CooperativeMatrixLayoutRowMajor);
}
