// The reference of tensors_before_vectors: words of 16 rows of 16.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) buffer Result { uint result[]; };
uint at(int row, int column) {
    const bool isInside = row >= 0 && row < 16 && column >= 0 && column < 16;
    return isInside ? words[row * 16 + column] : 0x12345678;
}
void main() {
    for (int row = 0; row < 16; ++row) {
        for (int column = 0; column < 16; ++column) {
            result[row * 16 + column] = at(row - 1, column - 3);
            result[256 + row * 16 + column] = at(row + 2, column - 4);
        }
    }
}
