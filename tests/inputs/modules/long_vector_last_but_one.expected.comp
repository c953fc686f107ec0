// The reference of long_vector_last_but_one.
#version 460
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { uint src[]; };
layout(binding = 1) buffer Result { uint dst[]; };
void main() {
    const uint lane = gl_LocalInvocationIndex;
    const uint steps = src[1280 + lane] % 5 + 1, stop = src[1280 + lane] / 8 % 8;
    for (uint i = 0; i < 20; ++i) {
        uint value = src[lane * 20 + i];
        for (uint n = 0; n + 1 < steps; ++n) value = value * 3 + n;
        dst[lane * 20 + i] = stop < steps ? src[640 + lane * 20 + i] : value;
    }
}
