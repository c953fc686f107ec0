// A product whose B was in shared memory that is overwritten before the product.
// test: subgroup
// test: buffers f16:3072 zero:512
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Results { float results[]; };
shared float16_t staged[2048];
#define B coopmat<float16_t, gl_ScopeSubgroup, 64, 32, gl_MatrixUseB>
#define SUMS coopmat<float, gl_ScopeSubgroup, 16, 32, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;

void main() {
    for (uint i = gl_LocalInvocationIndex; i < 2048; i += gl_WorkGroupSize.x) staged[i] = src[1024 + i];
    barrier();
    coopmat<float16_t, gl_ScopeSubgroup, 16, 64, gl_MatrixUseA> a;
    coopMatLoad(a, src, 0, 64, ROW);
    B b;
    coopMatLoad(b, staged, 0, 32, ROW);
    barrier();
    staged[gl_LocalInvocationIndex] = float16_t(0.0);
    barrier();
    SUMS sums = coopMatMulAdd(a, b, SUMS(0.0));
    coopMatStore(sums, results, 0, 32, ROW);
}
