// The reference of vectors_with_gaps.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) readonly buffer Other { float other[]; };
void main() {
    for (uint i = 0; i < 9; ++i) dst[(512 + 32) / 4 + i] = other[48 / 4 + i] + src[64 / 4 + i];
}
