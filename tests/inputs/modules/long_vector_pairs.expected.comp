// The reference of long_vector_pairs.
#version 460
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { uint src[]; };
layout(binding = 1) buffer Fews { uint fews[]; };
layout(binding = 2) buffer Manys { uint manys[]; };
void main() {
    const uint lane = gl_LocalInvocationIndex;
    for (uint i = 0; i < 5; ++i) {
        const uint a = src[lane * 20 + i] * 0x12345678u, b = src[lane * 20 + i + 5] * 0x9abcdef1u;
        fews[lane * 10 + i] = a + b;
        fews[lane * 10 + 5 + i] = a + b < a ? 1 : 0;
    }
    for (uint i = 0; i < 20; ++i) {
        const uint c = src[lane * 20 + i] * 0x87654321u, d = ~c * src[i];
        // The high half, by halves of 16 bits.
        const uint low = (c & 0xffff) * (d & 0xffff), middle = (c >> 16) * (d & 0xffff) + (low >> 16);
        const uint other = (c & 0xffff) * (d >> 16) + (middle & 0xffff);
        manys[lane * 40 + i] = c * d;
        manys[lane * 40 + 20 + i] = (c >> 16) * (d >> 16) + (middle >> 16) + (other >> 16);
    }
}
