// Denormals of E4M3 are numbers also where the shader flushes those of f16.
// test: subgroup
// test: buffers random:512 random:512 zero:256
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_float_e4m3 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(capabilities = [4465], 4460, 16);  // DenormFlushToZero
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { uint8_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) buffer Bytes { uint8_t bytes[]; };
#define MATRIX(TYPE, USE) coopmat<TYPE, gl_ScopeSubgroup, 16, 16, gl_MatrixUse##USE>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;

void main() {
    MATRIX(floate4m3_t, A) a;
    MATRIX(floate4m3_t, B) b;
    coopMatLoad(a, src, 0, 16, ROW);
    coopMatLoad(b, src, 256, 16, ROW);
    // Few bits: most are denormals.
    MATRIX(floate4m3_t, Accumulator) all;
    coopMatLoad(all, src, 512, 16, ROW);
    MATRIX(float, Accumulator) numbers = MATRIX(float, Accumulator)(all) * 0.0078125;
    coopMatStore(MATRIX(floate4m3_t, Accumulator)(numbers), bytes, 0, 16, ROW);
    MATRIX(float, Accumulator) sum = coopMatMulAdd(a, b, MATRIX(float, Accumulator)(0.0));
    coopMatStore(sum, dst, 0, 16, ROW);
}
