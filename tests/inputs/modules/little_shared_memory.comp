// Reductions, transposes and conversions of a workgroup's matrices beside an array that leaves little shared memory
// where there are 16 KiB, so that elements go through it in parts.
// test: buffers u32:8192 random:8192 random:2048
// test: push 7 32
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { int src[]; };
layout(binding = 1) buffer Result { int dst[]; };
layout(binding = 2) buffer Halves { float16_t halves[]; };
layout(push_constant) uniform Push { uint step, stride; };
#define C(T, ROWS, COLUMNS) coopmat<T, gl_ScopeWorkgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator>
#define A(ROWS) coopmat<float16_t, gl_ScopeWorkgroup, ROWS, 32, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseB>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;
shared int taken[3800];

int total(const in int x, const in int y) { return x + y; }

void main() {
    for (uint i = gl_LocalInvocationIndex; i < 3800; i += 64) taken[i] = int(i % step);
    barrier();
    C(int, 32, 32) m, rows, columns, all;
    coopMatLoad(m, src, 0, stride, ROW);
    coopMatReduceNV(rows, m, gl_CooperativeMatrixReduceRowNV, total);
    coopMatReduceNV(columns, m, gl_CooperativeMatrixReduceColumnNV, total);
    coopMatReduceNV(all, m, gl_CooperativeMatrixReduceRowAndColumnNV, total);
    coopMatStore(rows + columns, dst, 0, 32, ROW);
    coopMatStore(all, dst, 1024, 32, ROW);
    C(int, 16, 16) quarter;
    coopMatReduceNV(quarter, m, gl_CooperativeMatrixReduce2x2NV, total);
    coopMatStore(quarter, dst, 2048, 16, ROW);
    C(int, 128, 32) tall;
    coopMatLoad(tall, src, 0, stride, ROW);
    coopMatReduceNV(tall, tall, gl_CooperativeMatrixReduceRowNV, total);
    coopMatStore(tall, dst, 3072, 32, ROW);
    C(int, 16, 32) narrow;
    coopMatLoad(narrow, src, 512, stride, ROW);
    coopMatStore(A(16)(narrow), halves, 0, 32, ROW);
    B b;
    coopMatTransposeNV(b, C(float16_t, 32, 32)(m));
    C(float16_t, 32, 32) product = coopMatMulAdd(A(32)(m), b, C(float16_t, 32, 32)(m));
    coopMatStore(product, halves, 512, 32, ROW);
    if (gl_LocalInvocationIndex == 0) {
        for (uint i = 0; i < 64; ++i) dst[7168 + i] = taken[i * 59];
    }
}
