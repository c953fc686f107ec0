// The reference of long_vector_of_elements.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Given { float v[20], last; };
layout(binding = 1) readonly buffer In { float element[]; };
layout(binding = 2) buffer Out { float result[]; };
void main() {
    for (uint i = 0; i < 256; ++i) result[i] = v[i / 16] * element[i] + last;
}
