// Matrices of VK_NV_cooperative_matrix, which have no use, in a loop that ends with its condition.
// test: subgroup
// test: buffers f16:4096 random:1024
// test: push 5 16
#version 460
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define M fcoopmatNV<16, gl_ScopeSubgroup, 16, 16>
#define S fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>

void main() {
    S sum = S(0.0);
    M a, b;
    coopMatLoadNV(a, src, 0, 16, false);
    uint step = 0;
    do {
        coopMatLoadNV(b, src, step * 256 + 256, 16, true);
        sum = coopMatMulAddNV(a, b, sum);
        if ((step & 1) == 0) a = b;
    } while (++step < steps);
    coopMatStoreNV(sum, dst, 0, 16, false);
}
