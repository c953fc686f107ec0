// A decode function whose pointer varies with the element: branches, variables, and functions that return pointers.
// test: subgroup
// test: needs VK_NV_cooperative_matrix2
// test: buffers f32:1024 random:256
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Block { float v[4]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Pair { float v[2]; };
#define C coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>

Pair pairOf(Block block, uint number) {
    if (number == 0) return Pair(block);
    uint64_t address = uint64_t(block);
    return Pair(address + 8);
}
float decode(const in Block block, const in uint32_t place[2], const in uint32_t element[2]) {
    Pair pair = pairOf(block, element[1] / 2), other = pairOf(block, 1);
    if ((place[0] & 3) == 1) pair = other;
    return pair.v[element[1] & 1] * 2.0;
}
void main() {
    tensorLayoutNV<2> from = createTensorLayoutNV(2);
    from = setTensorLayoutBlockSizeNV(from, 1, 4);
    from = setTensorLayoutDimensionNV(from, 16, 32);
    C c;
    coopMatLoadTensorNV(c, src, 0, sliceTensorLayoutNV(from, 0, 16, 8, 16), decode);
    coopMatStore(c, dst, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
