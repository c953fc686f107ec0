// A network whose layers have their weights in buffers of a descriptor heap, by the loop's variable.
// test: heap 6
// test: push 0 4
#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_vector : require
layout(local_size_x = 128) in;
// Weights are at multiples of 64 bytes.
struct Layer { float16_t weights[1024]; float16_t bias[32]; float16_t more[32]; };
layout(descriptor_heap, scalar) readonly buffer Network { float16_t head[32]; Layer layers[4]; } networks[];
layout(descriptor_heap, scalar) buffer Halves { float16_t h[]; } halves[];
layout(push_constant) uniform Push { uint first, count; } push;
#define V coopvecNV<float16_t, 32>
V layer(V x, uint network, uint n) {
    V y;
    coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat16NV, networks[network].layers[n].weights, 0,
                       gl_ComponentTypeFloat16NV, networks[network].layers[n].bias, 0,
                       gl_ComponentTypeFloat16NV, 32, 32,
                       gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 64);
    return clamp(y, V(-4.0hf), V(4.0hf));
}
void main() {
    V x;
    coopVecLoadNV(x, halves[push.first + push.count].h, 64 * gl_GlobalInvocationID.x);
    uint n = 0;
    do {
        x = layer(x, push.first + n, n % 4);
        if (n == 3) x = x * 0.5hf;
    } while (++n < push.count);
    coopVecStoreNV(x, halves[push.first + push.count + 1].h, 64 * gl_GlobalInvocationID.x);
}
