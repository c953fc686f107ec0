// The reference of arrays_with_gaps. Rows are 8 * 12 bytes apart, columns of the result 16 * 4 bytes.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) readonly buffer Other { float other[]; };
void main() {
    for (uint row = 0; row < 16; ++row) {
        for (uint column = 0; column < 16; ++column) {
            uint at = row * 8 * 3 + column;
            float sum = src[4 * 4 + at] + other[8 * 4 + at] + src[(4 + 2 * 4) * 4 + at];
            dst[(64 + 4) * 4 + column * 16 + row] = sum;
        }
    }
}
