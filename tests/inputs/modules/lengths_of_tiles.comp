// The number of elements of a matrix that consists of several of the driver's.
// test: subgroup
// test: needs VK_KHR_cooperative_matrix
// test: buffers f16:1024 zero:1024
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    coopmat<float, gl_ScopeSubgroup, 32, 32, gl_MatrixUseAccumulator> sum = coopmat<float, gl_ScopeSubgroup, 32, 32, gl_MatrixUseAccumulator>(1.0);
    coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseB> b;
    coopMatLoad(a, src, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, src, 512, 32, gl_CooperativeMatrixLayoutRowMajor);
    sum = coopMatMulAdd(a, b, sum);
    int twice = sum.length();
    for (int i = 0; i < twice; ++i) sum[i] *= 2.0;
    coopMatStore(sum, dst, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
}
