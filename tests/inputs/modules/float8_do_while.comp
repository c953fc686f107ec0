// Products of 8-bit floats, converted in a loop that ends with its condition.
// test: subgroup
// test: buffers f16:4096 random:1024
// test: push 5 16
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_float_e4m3 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define A coopmat<floate4m3_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define B coopmat<floate4m3_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define C coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

#define H coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define HB coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
void main() {
    C sum = C(0.0);
    uint step = 0;
    do {
        H h; HB hb;
        coopMatLoad(h, src, step * 256, 16, ROW);
        coopMatLoad(hb, src, step * 128, 16, ROW);
        A a = A(h);
        B b = B(hb);
        sum = coopMatMulAdd(a, b, sum);
    } while (++step < steps);
    coopMatStore(sum, dst, 0, 16, ROW);
}
