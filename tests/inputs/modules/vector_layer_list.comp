// A list of layers, each of which has pointers to the next and the previous one.
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_buffer_reference : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Layer;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Layer { Layer next; Layer prev; uint n; layout(offset = 64) float16_t w[256]; };
layout(push_constant) uniform P { Layer first; } p;
layout(binding = 0) buffer O { float16_t h[]; } o;
#define V coopvecNV<float16_t, 16>
V layer(V x, Layer l) { V y; coopVecMatMulNV(y, x, gl_ComponentTypeFloat16NV, l.w, 0, gl_ComponentTypeFloat16NV, 16, 16, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 32); return max(y, V(float16_t(0.0))); }
void main() {
    V x; coopVecLoadNV(x, o.h, 32 * gl_GlobalInvocationID.x);
    for (Layer l = p.first; l.n != 0; l = l.next) { x = layer(x, l); if (l.prev.n == 3) x = x + x; }
    coopVecStoreNV(x, o.h, 32 * gl_GlobalInvocationID.x);
}
