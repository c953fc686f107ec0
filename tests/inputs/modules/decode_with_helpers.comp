// A decode function of a large B of f16, which calls helpers with loops and early returns.
// test: subgroup
// test: buffers f32:8192 zero:4096
// test: push 5 32
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Result { float16_t dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define B coopmat<float16_t, gl_ScopeSubgroup, 32, 32, gl_MatrixUseB>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;

float16_t walk(uint row, uint column, float16_t x) {
    for (uint i = 0; i < row; ++i) {
        if (i == column) return x - float16_t(i);
        if ((i & 3) == 3 && x > 100.0hf) return x;
        x += float16_t(1.0);
    }
    return x;
}
float16_t fold(uint row, uint column, float16_t x) {
    uint left = row * 7 + column;
    while (left > 1) {
        if (left % 5 == 0) return x + float16_t(left);
        left = (left & 1) != 0 ? left / 3 : left / 2;
    }
    return walk(column, row, x);
}
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Block { float x; };
float16_t each(const in Block block, const in uint place[2], const in uint inBlock[2]) {
    const float16_t x = float16_t(block.x);
    const uint row = place[0], column = place[1];
    if (row == column + 5) return float16_t(row);
    float16_t y = walk(row, column, x);
    if (y < 0.0hf) return fold(row, column, y);
    return y + fold(column, row, x);
}
void main() {
    B b;
    tensorLayoutNV<2> layouts = createTensorLayoutNV(2);
    layouts = setTensorLayoutBlockSizeNV(layouts, 1, 1);
    layouts = setTensorLayoutDimensionNV(layouts, 32, stride);
    coopMatLoadTensorNV(b, src, 0, sliceTensorLayoutNV(layouts, 0, 32, 0, 32), each);
    coopMatStore(b, dst, 0, stride, ROW);
}
