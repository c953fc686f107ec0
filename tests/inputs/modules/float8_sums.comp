// Products whose sums are 8-bit floats: each is rounded to the accumulator's format, and the next product adds to it.
// test: subgroup
// test: buffers f16:512 random:256 zero:256
// test: push 3 16
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_float_e5m2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) buffer Bytes { uint8_t bytes[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define MATRIX(TYPE, USE) coopmat<TYPE, gl_ScopeSubgroup, 16, 16, gl_MatrixUse##USE>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;

void main() {
    MATRIX(float16_t, A) a;
    MATRIX(float16_t, B) b;
    coopMatLoad(a, src, 0, stride, ROW);
    coopMatLoad(b, src, 256, stride, ROW);
    MATRIX(floate4m3_t, A) factor = MATRIX(floate4m3_t, A)(a);
    MATRIX(floate4m3_t, B) other = MATRIX(floate4m3_t, B)(b);
    MATRIX(floate4m3_t, Accumulator) sum = MATRIX(floate4m3_t, Accumulator)(floate4m3_t(0.5));
    for (uint step = 0; step < steps; ++step) sum = coopMatMulAdd(factor, other, sum);
    coopMatStore(sum, bytes, 0, stride, ROW);
    MATRIX(floate5m2_t, Accumulator) wide = MATRIX(floate5m2_t, Accumulator)(floate5m2_t(0.0));
    wide = coopMatMulAdd(MATRIX(floate5m2_t, A)(a), MATRIX(floate5m2_t, B)(b), wide);
    coopMatStore(MATRIX(float, Accumulator)(sum) + MATRIX(float, Accumulator)(wide), dst, 0, stride, ROW);
}
