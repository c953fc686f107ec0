// The reference of tensors_of_narrow_words: words of 16 rows of 20.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Bytes { uint bytes[]; };
layout(binding = 1) readonly buffer Halves { uint halves[]; };
layout(binding = 2) buffer Result { uint result[]; };
void main() {
    for (uint row = 0; row < 16; ++row) {
        for (uint column = 0; column < 16; ++column) {
            result[row * 16 + column] = row + 2 < 16 ? bytes[(row + 2) * 20 + column + 3] : 0x12345678;
            result[256 + row * 16 + column] = halves[row * 20 + column + 4];
        }
    }
}
