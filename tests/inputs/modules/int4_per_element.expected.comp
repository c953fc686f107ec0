// The reference of int4_per_element.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { uint src[]; };
layout(binding = 1) buffer Result { uint dst[]; };
int at(uint word, uint nibble) { return bitfieldExtract(int(src[word]), int(nibble) * 4, 4); }
void main() {
    for (uint row = 0; row < 16; ++row) {
        for (uint word = 0; word < 2; ++word) {
            uint result = 0;
            for (uint i = 0; i < 8; ++i) {
                int other = at(16 + row * 2 + word, i);
                int changed = at(row * 2 + word, i) + int(row) - int(word * 8 + i);
                result |= uint((other < 0 ? other : changed) & 15) << (i * 4);
            }
            dst[row * 2 + word] = result;
        }
    }
}
