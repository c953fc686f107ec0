// The reference of decode_misaligned: blocks of 10 words.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Source { uint src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    for (uint row = 0; row < 8; ++row) {
        for (uint column = 0; column < 16; ++column) {
            uint i = row * 16 + column, b = i * 10;
            dst[i] = float((src[b] & 0xFFFF) + (src[b + 1] >> 20) + (src[b + 7] & 15));
            src[b + 2] = row * 65537;
            src[b + 3] = column * 65539;
            src[b + 4] = 0x12345678;
            src[b + 5] = src[b];
            src[b + 6] = column;
            src[b + 7] = (src[b + 7] & 0xFFFF) | i << 16;
            src[b + 8] = src[b];
            src[b + 9] = src[b + 1];
        }
    }
}
