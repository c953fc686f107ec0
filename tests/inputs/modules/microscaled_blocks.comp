// Blocks of 32 4-bit floats with an E8M0 scale, of 6-bit floats, and MXINT8, as a program unpacks them.
// test: needs VK_EXT_shader_ocp_microscaling_types
// test: buffers random:128 random:64 zero:256
#version 460
#extension GL_EXT_float_e2m1 : require
#extension GL_EXT_float_e3m2 : require
#extension GL_EXT_float_ue8m0 : require
#extension GL_EXT_float_mxint8 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 32) in;
layout(binding = 0, scalar) readonly buffer A { u8vec4 quants[]; };
layout(binding = 1, scalar) readonly buffer B { fmxint8vec4 fractions[]; };
layout(binding = 2, scalar) buffer C { float results[]; };
shared floatue8m0_t scales[32];
float scaled(fe2m1vec2 pair, floatue8m0_t scale) { vec2 v = vec2(pair) * float(scale); return v.x - 4.0 * v.y; }
void main() {
    uint i = gl_LocalInvocationIndex;
    scales[i] = uintBitsToFloatue8m0EXT(uint8_t(120) + (quants[i].x & uint8_t(15)));
    barrier();
    for (uint k = 0; k < 4; ++k) {
        u8vec4 block = quants[i * 4 + k];
        floatue8m0_t scale = scales[(i + k) % 32];
        float sum = 0.0;
        for (uint j = 0; j < 4; ++j) {
            fe2m1vec2 pair = fe2m1vec2(bitcastExtractfe2m1EXT(block[j], 0u), bitcastExtractfe2m1EXT(block[j], 4u));
            if (j == 2) pair = pair.yx;
            sum += scaled(pair, scale);
        }
        fe3m2vec4 six = unpackFloat4xfe3m2EXT(block.xyz);
        vec4 fraction = vec4(fractions[(i * 2 + k) % 64]);
        results[i * 8 + k] = sum;
        results[i * 8 + 4 + k] = float(six[k]) + 64.0 * fraction[(k + i) % 4];
    }
}
