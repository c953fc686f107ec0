// Matrices of a workgroup from tensors in buffers of a descriptor heap, one of them decoded.
// test: heap 3
// test: push 0 1 2 64
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix2 : require
layout(local_size_x = 128) in;
layout(push_constant) uniform Push { uint a, b, c, depth; } push;
layout(descriptor_heap, scalar) readonly buffer Blocks { uint w[]; } blocks[];
layout(descriptor_heap, scalar) buffer Floats { float f[]; } floats[];
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Quant { uint scale; uint q[4]; };
float16_t decode(const in Quant b, const in uint block[2], const in uint inBlock[2]) {
    const uint word = b.q[inBlock[1] / 8];
    return float16_t((word >> (4 * (inBlock[1] % 8))) & 15) * unpackFloat2x16(b.scale).x;
}
#define WG gl_ScopeWorkgroup
void main() {
    coopmat<float, WG, 64, 64, gl_MatrixUseAccumulator> sum =
        coopmat<float, WG, 64, 64, gl_MatrixUseAccumulator>(0.0);
    tensorLayoutNV<2> t = createTensorLayoutNV(2), u = createTensorLayoutNV(2);
    t = setTensorLayoutBlockSizeNV(t, 1, 32);
    t = setTensorLayoutDimensionNV(t, 64, push.depth);
    u = setTensorLayoutDimensionNV(u, push.depth, 64);
    for (uint k = 0; k < push.depth; k += 32) {
        coopmat<float16_t, WG, 64, 32, gl_MatrixUseA> a;
        coopmat<float16_t, WG, 32, 64, gl_MatrixUseB> b;
        coopMatLoadTensorNV(a, blocks[push.a].w, 0, sliceTensorLayoutNV(t, 0, 64, k, 32), decode);
        coopMatLoadTensorNV(b, blocks[push.b].w, 0, sliceTensorLayoutNV(u, k, 32, 0, 64));
        sum = coopMatMulAdd(a, b, sum);
    }
    tensorLayoutNV<2> v = createTensorLayoutNV(2);
    v = setTensorLayoutDimensionNV(v, 64, 64);
    coopMatStoreTensorNV(sum, floats[push.c].f, 0, v);
}
