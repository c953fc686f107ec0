// The reference of elements_between_products: each product adds 32 times 0.5 * 0.5.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float dst[]; };
void main() {
    for (uint i = 0; i < 256; ++i) dst[i] = 17.0;
    dst[256] = 9.0;
}
