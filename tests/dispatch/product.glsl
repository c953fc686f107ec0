// SPDX-License-Identifier: Apache-2.0
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require

// C = A * B + C for each subgroup of each workgroup. A is the buffer's beginning, B what follows.
layout(local_size_x = 32) in;
#ifdef ADDRESSES
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer A { float16_t a[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer C { float c[]; };
// To C only an address in memory leads.
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer Table { C c; };
layout(push_constant, scalar) uniform P { uint stride; uint unused; A a; Table table; } push;
#define BUFFER_A push.a.a
#define BUFFER_C push.table.c.c
#else
layout(set = 1, binding = 0) readonly buffer A { float16_t a[]; };
layout(set = 1, binding = 1) buffer C { float c[]; };
layout(set = 1, binding = 2) uniform U { uint zero; uint add; };
layout(push_constant) uniform P { uint stride; } push;
#define BUFFER_A a
#define BUFFER_C c
#endif

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z;
    const uint at = (gl_WorkGroupID.x * 8 + gl_SubgroupID) * 256;
    coopMatLoad(x, BUFFER_A, 0, push.stride, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, BUFFER_A, 256, push.stride, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(z, BUFFER_C, at, 16, gl_CooperativeMatrixLayoutRowMajor);
    z = coopMatMulAdd(x, y, z);
#ifndef ADDRESSES
    z += coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(float(add));
#endif
    coopMatStore(z, BUFFER_C, at, 16, gl_CooperativeMatrixLayoutRowMajor);
}
