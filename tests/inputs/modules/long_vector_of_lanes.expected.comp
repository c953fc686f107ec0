// The reference of long_vector_of_lanes.
#version 460
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { uint src[]; };
layout(binding = 1) buffer Result { uint dst[]; };
void main() {
    const uint lane = gl_LocalInvocationIndex, lanes = gl_WorkGroupSize.x, chosen = lane % 9;
    uint sum = 0;
    for (uint i = 0; i < lanes; ++i) sum += src[i * 9 + chosen];
    dst[lane] = sum;
    dst[lanes + lane] = src[chosen];
    dst[lanes * 2 + lane] = src[(lane ^ 1) * 9 + chosen];
    dst[lanes * 3 + lane] = src[lane * 9 + chosen] * 2;
}
