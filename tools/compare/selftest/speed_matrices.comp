// SPDX-License-Identifier: Apache-2.0
// 2 * 16 * 16 * 16 operations in an iteration of each subgroup.
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) buffer C { float c[]; };
layout(push_constant) uniform P { uint iterations; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    for (uint i = 0u; i < iterations; ++i) {
        coopMatLoad(x, a, (i % 2u) * 16u, 16, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(y, a, 256u, 16, gl_CooperativeMatrixLayoutRowMajor);
        z = coopMatMulAdd(x, y, z);
    }
    coopMatStore(z, c, (gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID) * 256u, 16,
                 gl_CooperativeMatrixLayoutRowMajor);
}
