// The reference of decode_stores. A block has 88 bytes, a mark has 16.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Source { uint src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    for (uint row = 0; row < 8; ++row) {
        for (uint column = 0; column < 16; ++column) {
            uint element = column % 4, block = (row * 4 + column / 4) * 22;
            uint value = src[block + element] & 255;
            uint mark = block + 4 + element * 4;
            src[mark] = row;
            src[mark + 1] = column;
            src[mark + 2] = row + column;
            src[mark + 3] = row * column;
            src[block + 20] |= 1 << element;
            src[block + 21] = max(src[block + 21], value + 0x80000000u);
            dst[row * 16 + column] = float(value);
        }
    }
}
