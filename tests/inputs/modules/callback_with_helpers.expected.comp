// The reference of callback_with_helpers.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float16_t dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };

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
float16_t each(uint row, uint column, float16_t x, uint step) {
    if (row == column + step) return float16_t(step);
    float16_t y = walk(row, column, x);
    if (y < 0.0hf) return fold(row, column, y);
    return y + fold(column, row, x);
}
void main() {
    for (uint r = 0; r < 32; ++r) for (uint c = 0; c < 32; ++c) {
        dst[r * stride + c] = each(r, c, src[r * stride + c], steps);
    }
}
