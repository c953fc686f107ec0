// A network whose layers have their weights in buffers of a descriptor heap, by the loop's variable.
// test: unchecked the reference device has no descriptor heaps
#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_vector : require
layout(local_size_x = 128) in;
struct Layer { uint size; float16_t weights[1024]; float16_t bias[32]; };
layout(descriptor_heap, scalar) readonly buffer Network { uint64_t head; Layer layers[4]; } networks[];
layout(descriptor_heap, scalar) buffer Halves { float16_t h[]; } halves[];
layout(push_constant) uniform Push { uint first, count; } push;
#define V coopvecNV<float16_t, 32>
V layer(V x, uint network, uint n) {
    V y;
    coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat16NV, networks[network].layers[n].weights, 0,
                       gl_ComponentTypeFloat16NV, networks[network].layers[n].bias, 0,
                       gl_ComponentTypeFloat16NV, 32, 32,
                       gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 64);
    return max(y, V(0.0hf));
}
void main() {
    V x;
    coopVecLoadNV(x, halves[push.first].h, 64 * gl_GlobalInvocationID.x);
    uint n = 0;
    do {
        x = layer(x, push.first + n, n % 4);
        if (n == 3) x = x * 0.5hf;
    } while (++n < push.count);
    coopVecStoreNV(x, halves[push.first + 1].h, 64 * gl_GlobalInvocationID.x);
}
