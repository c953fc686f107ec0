// Sizes from specialization constants; the loop over K ends with its condition and depends on them.
// test: subgroup
// test: buffers f16:8192 random:1024
// test: push 3 16
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 8;
layout(constant_id = 3) const uint K = 32;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define A coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB>
#define C coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;

void main() {
    C sum = C(0.0);
    uint k = 0;
    do {
        A a; B b;
        coopMatLoad(a, src, k, K * steps, ROW);
        coopMatLoad(b, src, 4096 + k * N, N, ROW);
        sum = coopMatMulAdd(a, b, sum);
        k += K;
    } while (k < K * steps);
    if (N == 8 && sum.length() > 0) sum[0] = sum[0] * float(M / 16);
    coopMatStore(sum, dst, 0, N, ROW);
}
