// The reference of decode_addresses: blocks of 14 words, then of 8.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Source { uint src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    for (uint row = 0; row < 8; ++row) {
        for (uint column = 0; column < 16; ++column) {
            uint i = row * 16 + column, b = i * 14, more = (src[b + 3] >> 8) & 255;
            dst[i] = float((src[b] & 0xF0F0) + (src[b + 1] >> 28) + (src[b + 2] & 15) + (src[b + 8] & 7));
            src[b + 2] = (src[b + 2] & 0xFFFF) | row << 16 | column << 24;
            src[b + 3] = 7 | more << 8 | i << 16;
            src[b + 4] = (src[b + 4] & 0xFFFF0000) | more;
            src[b + 5] = src[b];
            src[b + 6] = column;
            src[b + 10] = row * 3;
            src[b + 11] = row;
            src[b + 12] = column;
            b = 1792 + i * 8;
            dst[128 + i] = float((src[b + 1] >> 20) + (src[b] & 1023));
            src[b + 2] = row * 65537;
            src[b + 3] = column * 65539;
            src[b + 4] = 0x12345678;
            src[b + 5] = (row + 256) | column << 16;
            src[b + 6] = src[b];
            src[b + 7] = src[b + 1];
        }
    }
}
