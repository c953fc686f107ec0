// A decode function that stores through its pointer, copies what it points to, and changes it by atomics. It may be
// called several times for an element, so that all of this gives the same if it is repeated.
// test: subgroup
// test: needs VK_NV_cooperative_matrix2
// test: buffers random:1024 random:256
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32, local_size_x_id = 0) in;
struct Mark { uint row, column; uvec2 sum; };
layout(binding = 0) buffer Source { uint src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Block {
    uint v[4];
    Mark marks[4];
    uint any;
    uint most;
};
#define C coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator>

void mark(Block block, uint row, uint column) {
    Mark made;
    made.row = row;
    made.column = column;
    made.sum = uvec2(row + column, row * column);
    block.marks[column & 3] = made;
}
float decode(const in Block block, const in uint32_t place[2], const in uint32_t element[2]) {
    uint value = block.v[element[1]] & 255;
    mark(block, place[0], place[1] * 4 + element[1]);
    block.marks[element[1]].sum.y += 0u;
    atomicOr(block.any, 1u << element[1]);
    atomicMax(block.most, value + 0x80000000u);
    return float(value);
}
void main() {
    tensorLayoutNV<2> from = createTensorLayoutNV(2);
    from = setTensorLayoutBlockSizeNV(from, 1, 4);
    from = setTensorLayoutDimensionNV(from, 8, 16);
    C c;
    coopMatLoadTensorNV(c, src, 0, from, decode);
    coopMatStore(c, dst, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
