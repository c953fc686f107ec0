// A function for each element, with an early return, in a loop that ends with its condition.
// test: subgroup
// test: buffers f16:4096 random:1024
// test: push 3 16
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define A coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define C coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

float step_of(const in uint row, const in uint column, const in float x, const in uint step) {
    if (row == column) return x + float(step);
    for (uint i = 0; i < row; ++i) if (i == column) return x - 1.0;
    return x * 2.0;
}
void main() {
    A a; B b;
    coopMatLoad(a, src, 0, 16, ROW);
    coopMatLoad(b, src, 256, 16, ROW);
    C m = coopMatMulAdd(a, b, C(0.0));
    uint step = 0;
    do {
        coopMatPerElementNV(m, m, step_of, step);
        ++step;
    } while (step < steps);
    coopMatStore(m, dst, 0, 16, ROW);
}
