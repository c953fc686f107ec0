// Functions of vectors with early returns, vectors in structures and a switch.
// test: buffers f16:4096 f16:2048 random:1024
// test: push 3
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Weights { float16_t weights[]; };
layout(binding = 1) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 2) buffer Results { float16_t results[]; };
layout(push_constant) uniform Push { uint steps; };

#define V coopvecNV<float16_t, 16>
struct Layer { V bias; uint first; };
V layer(in Layer l, in V x, uint kind) {
    if (kind == 3) return x;
    V y;
    coopVecMatMulNV(y, x, gl_ComponentTypeFloat16NV, weights, l.first * 2, gl_ComponentTypeFloat16NV, 16, 16,
                    gl_CooperativeVectorMatrixLayoutColumnMajorNV, false, 32);
    switch (kind) {
        case 0: return max(y, V(float16_t(0)));
        case 1: y = y + l.bias;
        default: y = min(y, V(float16_t(8)));
    }
    return y;
}
void main() {
    uint me = gl_LocalInvocationIndex;
    Layer l;
    coopVecLoadNV(l.bias, inputs, 1024);
    l.first = 256;
    V x;
    coopVecLoadNV(x, inputs, me * 32);
    x = layer(l, x, me % 4);
    coopVecStoreNV(x, results, me * 32);
}
