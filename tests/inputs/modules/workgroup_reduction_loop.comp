// Reductions and functions for each element of a workgroup's matrix in a loop with break.
// test: buffers f16:8192 random:2048
// test: push 2 32
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define A coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseB>
#define C coopmat<float, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

float total(const in float x, const in float y) { return x + y; }
float shifted(const in uint row, const in uint column, const in float x, const in uint step) { return row > column ? x - float(step) : x; }
void main() {
    A a; B b;
    coopMatLoad(a, src, 0, 32, ROW);
    coopMatLoad(b, src, 1024, 32, ROW);
    C m = coopMatMulAdd(a, b, C(0.0));
    uint step = 0;
    while (true) {
        C rows;
        coopMatReduceNV(rows, m, gl_CooperativeMatrixReduceRowNV, total);
        m = m - rows;
        coopMatPerElementNV(m, m, shifted, step);
        if (++step == steps) break;
    }
    coopMatStore(m, dst, 0, 32, ROW);
}
