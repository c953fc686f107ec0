// An element of a sum is read between two products that add to it, of matrices in shared memory. All elements are the same,
// whichever lane holds them.
// test: subgroup
// test: needs VK_KHR_cooperative_matrix
// test: buffers zero:257
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) buffer Result { float dst[]; };
shared float16_t factors[512];
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(1.0);
    for (uint i = gl_LocalInvocationIndex; i < 512; i += gl_WorkGroupSize.x) factors[i] = float16_t(0.5);
    barrier();
    coopmat<float16_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> b;
    coopMatLoad(a, factors, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, factors, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    sum = coopMatMulAdd(a, b, sum);
    float first = sum[0];
    sum = coopMatMulAdd(a, b, sum);
    coopMatStore(sum, dst, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    if (gl_SubgroupInvocationID == 0) dst[256] = first;
}
