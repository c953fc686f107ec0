// Layers of a network in one shader: what a layer computes becomes A of the next. K is 32, 64 and 128; B is in rows and in
// columns of shared memory, which others of the network overwrite. All numbers are integers.
// test: subgroup
// test: needs VK_NV_cooperative_matrix2
// test: buffers f16:512 f16:16384 zero:1024
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 1) readonly buffer Weights { f16vec4 weights[]; };
layout(binding = 2) buffer Results { float results[]; };
shared f16vec4 staged[2048];
#define A(k) coopmat<float16_t, gl_ScopeSubgroup, 16, k, gl_MatrixUseA>
#define B(k, n) coopmat<float16_t, gl_ScopeSubgroup, k, n, gl_MatrixUseB>
#define SUMS(t, n) coopmat<t, gl_ScopeSubgroup, 16, n, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

float small(const in uint row, const in uint column, const in float x) { return float((int(abs(x)) + row) & 3u); }
float16_t smallHalf(const in uint row, const in uint column, const in float16_t x) {
    return float16_t((int(abs(x)) + column) & 3u);
}

void stage(uint first, uint count) {
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < count; i += gl_WorkGroupSize.x) staged[i] = weights[first + i];
    barrier();
}

void main() {
    A(32) a;
    coopMatLoad(a, inputs, 0, 32, ROW);
    stage(0, 1024);
    B(32, 128) b;
    coopMatLoad(b, staged, 0, 32, ROW);
    SUMS(float, 128) sums = coopMatMulAdd(a, b, SUMS(float, 128)(0.0));
    coopMatPerElementNV(sums, sums, small);
    A(128) hidden = A(128)(sums);
    stage(1024, 2048);
    // Two products with one A, each with a B of its own.
    B(128, 32) left, right;
    coopMatLoad(left, staged, 0, 32, COLUMN);
    coopMatLoad(right, staged, 1024, 8, ROW);
    SUMS(float, 32) second = coopMatMulAdd(hidden, left, SUMS(float, 32)(1.0));
    second = coopMatMulAdd(hidden, right, second);
    coopMatStore(second, results, 0, 32, ROW);
    coopMatPerElementNV(second, second, small);
    A(32) both = A(32)(second);
    stage(3072, 1024);
    for (uint turn = 0; turn < 2; ++turn) {
        B(32, 64) c;
        coopMatLoad(c, staged, turn * 512, 16, ROW);
        SUMS(float16_t, 64) wide = coopMatMulAdd(both, c, SUMS(float16_t, 64)(float16_t(turn)));
        coopMatPerElementNV(wide, wide, smallHalf);
        A(64) next = A(64)(wide);
        B(64, 16) d;
        coopMatLoad(d, staged, turn * 256, 16, COLUMN);
        SUMS(float16_t, 16) last = coopMatMulAdd(next, d, SUMS(float16_t, 16)(0.0));
        coopMatStore(SUMS(float, 16)(last), results, 512 + turn * 256, 16, ROW);
    }
}
