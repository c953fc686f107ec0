// The reference of shared_blocks_with_gaps: the array begins at byte 16, the matrix at its fifth element, with rows
// 8 * 12 bytes apart.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    for (uint row = 0; row < 16; ++row) {
        for (uint column = 0; column < 16; ++column) {
            dst[row * 16 + column] = src[4 + 4 * 4 + row * 8 * 3 + column];
        }
    }
    for (uint i = 0; i < 8; ++i) dst[256 + i] = src[4 + 8 + i];
}
