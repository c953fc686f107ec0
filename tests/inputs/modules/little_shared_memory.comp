// Reductions, transposes and conversions of a workgroup's matrices beside an array that leaves little shared memory
// where there are 16 KiB, so that elements go through it in parts.
// test: buffers f32:8192 random:8192 random:256
// test: push 7 32
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) buffer Halves { float16_t halves[]; };
layout(push_constant) uniform Push { uint step, stride; };
#define C(ROWS, COLUMNS) coopmat<float, gl_ScopeWorkgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator>
#define A coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseB>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;
shared float taken[3800];

float total(const in float x, const in float y) { return x + y; }
float larger(const in float x, const in float y) { return max(x, y); }

void main() {
    for (uint i = gl_LocalInvocationIndex; i < 3800; i += 64) taken[i] = float(i % step);
    barrier();
    C(32, 32) m, rows, columns, all;
    coopMatLoad(m, src, 0, stride, ROW);
    coopMatReduceNV(rows, m, gl_CooperativeMatrixReduceRowNV, larger);
    coopMatReduceNV(columns, m, gl_CooperativeMatrixReduceColumnNV, larger);
    coopMatReduceNV(all, m, gl_CooperativeMatrixReduceRowAndColumnNV, larger);
    coopMatStore(rows + columns, dst, 0, 32, ROW);
    coopMatStore(all, dst, 1024, 32, ROW);
    C(16, 16) quarter;
    coopMatReduceNV(quarter, m, gl_CooperativeMatrixReduce2x2NV, total);
    coopMatStore(quarter, dst, 2048, 16, ROW);
    coopmat<float, gl_ScopeWorkgroup, 64, 32, gl_MatrixUseAccumulator> tall, largest;
    coopMatLoad(tall, src, 0, stride, ROW);
    coopMatReduceNV(largest, tall, gl_CooperativeMatrixReduceRowNV, larger);
    coopMatStore(largest, dst, 5120, 32, ROW);
    C(16, 32) half_ = C(16, 32)(1.0);
    coopMatLoad(half_, src, 512, stride, ROW);
    coopmat<float16_t, gl_ScopeWorkgroup, 16, 32, gl_MatrixUseA> converted =
        coopmat<float16_t, gl_ScopeWorkgroup, 16, 32, gl_MatrixUseA>(half_);
    coopMatStore(converted, halves, 0, 32, ROW);
    A a = A(m);
    B b;
    coopMatTransposeNV(b, coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseAccumulator>(m));
    coopMatStore(coopMatMulAdd(a, b, m), dst, 3072, 32, ROW);
    if (gl_LocalInvocationIndex == 0) {
        for (uint i = 0; i < 64; ++i) dst[4096 + i] = taken[i * 59];
    }
}
