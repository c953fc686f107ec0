// f16 as E4M3, rounded and saturated: all exponents, numbers at and beside ties, infinities, NaN.
// SPIRV-Tools' loop peeling crashes where an id in a loop has a decoration, so each workgroup has 256 numbers.
// test: subgroup
// test: groups 16
// test: buffers zero:1024 zero:1024
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_float_e4m3 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) buffer Rounded { uint8_t rounded[]; };
layout(binding = 1) buffer Saturated { uint8_t saturated[]; };
shared float16_t numbers[256];
#define MATRIX(TYPE) coopmat<TYPE, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;
const uint kLast[8] = uint[](0, 1, 0x20, 0x3F, 0x40, 0x41, 0x60, 0x7F);  // seven bits

void main() {
    uint first = gl_WorkGroupID.x * 256;
    for (uint i = gl_LocalInvocationIndex; i < 256; i += gl_WorkGroupSize.x) {
        uint number = first + i;
        uint bits = number >> 4 << 7 | kLast[number >> 1 & 7] | number << 15;
        numbers[i] = uint16BitsToFloat16(uint16_t(bits));
    }
    barrier();
    MATRIX(float16_t) halves;
    coopMatLoad(halves, numbers, 0, 16, ROW);
    coopMatStore(MATRIX(floate4m3_t)(halves), rounded, first, 16, ROW);
    MATRIX(floate4m3_t) most;
    saturatedConvertEXT(most, halves);
    coopMatStore(most, saturated, first, 16, ROW);
}
