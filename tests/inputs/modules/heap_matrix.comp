// Matrices and tensors in buffers of a descriptor heap, by an index that differs between dispatches.
// test: subgroup
// test: heap 3
// test: push 0 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix2 : require
layout(local_size_x = 128, local_size_x_id = 0) in;
layout(push_constant) uniform Push { uint from; uint to; } push;
layout(descriptor_heap, scalar) readonly buffer Words { uvec4 w[]; } words[];
layout(descriptor_heap, scalar) coherent buffer Halves { uint head; float16_t h[]; } halves[];
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Ref { uint pair[2]; };
float16_t decode(const in Ref b, const in uint block[2], const in uint inBlock[2]) {
    return float16_t(b.pair[inBlock[1]] & 7) + float16_t(b.pair[0] & 7);
}
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m, n, o;
    coopMatLoad(m, words[push.from].w, 8, 2, gl_CooperativeMatrixLayoutRowMajor);
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> t =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    t = setTensorLayoutDimensionNV(t, 16, 16);
    coopMatLoadTensorNV(n, halves[push.to].h, 256, t);
    tensorLayoutNV<2> u = createTensorLayoutNV(2);
    u = setTensorLayoutBlockSizeNV(u, 1, 2);
    u = setTensorLayoutDimensionNV(u, 16, 16);
    coopMatLoadTensorNV(o, words[push.from].w, 4, u, decode);
    m = m + n + o;
    coopMatStoreTensorNV(m, halves[push.to + 1].h, 256, t);
    coopMatStore(m, halves[push.to + 1].h, 1024, 16, gl_CooperativeMatrixLayoutColumnMajor);
}
