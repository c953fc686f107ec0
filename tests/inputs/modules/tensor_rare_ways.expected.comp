// The reference of tensor_rare_ways.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint rows, columns; };
bool isInside(uint row, uint column) { return row < rows && column < columns; }
float at(uint row, uint column) { return isInside(row, column) ? float(src[row * columns + column]) : 0.0; }
bool isKept(uint row, uint column) { return row >= 1 && row < 41 && column >= 2 && column < 47; }
// The number of an element in the clipped part; the span has rows of 64.
uint number(uint row, uint column) { return (row - 1) * 45 + column - 2; }
float part(uint row, uint column) {
    if (!isKept(row, column)) return 2.0;
    return at(number(row, column) / 64, number(row, column) % 64 + 1);
}

void main() {
    for (uint r = 0; r < 64; ++r) for (uint c = 0; c < 64; ++c) {
        if (isInside(r, c)) dst[r * columns + c] = at(r + 3, c + 2);
        if (isInside(r + 1, c + 1)) dst[4096 + (r + 1) * columns + c + 1] = part(r, c);
        const uint row = number(r, c) / 64, column = number(r, c) % 64 + 3;
        if (isKept(r, c) && isInside(row, column)) dst[8192 + row * columns + column] = part(r, c);
    }
}
