// Large vectors of bytes and of words: products of integers with packed inputs, loads and stores whose size is no
// multiple of 16 bytes, shifts and bits, conversions to floats.
// test: buffers random:131072 random:16384 random:65536
// test: push 2
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Weights { int8_t weights[]; };
layout(binding = 1) readonly buffer Inputs { uint inputs[]; };
layout(binding = 2) buffer Results { uint results[]; };
layout(push_constant) uniform Push { uint steps; };

#define B coopvecNV<int8_t, 515>
#define W coopvecNV<uint, 129>
void main() {
    uint me = gl_LocalInvocationIndex;
    B x;
    coopVecLoadNV(x, inputs, me * 16);
    for (uint step = 0; step < steps; ++step) x = x + B(int8_t(step)) * x;
    coopvecNV<int, 16> y;
    coopVecMatMulNV(y, x, gl_ComponentTypeSignedInt8NV, weights, 0, gl_ComponentTypeSignedInt8NV, 16, 515,
                    gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 528);
    W words;
    coopVecLoadNV(words, inputs, me * 32);
    words = (words >> W(3u)) ^ (words & W(0xFFFFu)) | W(uint(y[me % 16]) & 0xFFu);
    coopvecNV<int, 130> z;
    coopVecMatMulNV(z, words, gl_ComponentTypeSignedInt8PackedNV, weights, 0, gl_ComponentTypeSignedInt8NV, 130, 516,
                    gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 528);
    coopVecStoreNV(words, results, me * 2048);
    coopVecStoreNV(x, results, me * 2048 + 1024);
    results[me * 512 + 400] = uint(z[me]);
}
