// The reference of long_vector_partitions.
#version 460
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { uint src[]; };
layout(binding = 1) buffer Result { uint dst[]; };
bool isLikeFew(uint a, uint b) {
    for (uint i = 0; i < 5; ++i)
        if (((src[a * 5 + i] ^ src[b * 5 + i]) & 1u) != 0) return false;
    return true;
}
bool isLikeMany(uint a, uint b) {
    return ((src[a * 5] ^ src[b * 5]) & 1u) == 0 && ((src[a * 5 + 3] ^ src[b * 5 + 3]) & 1u) == 0;
}
void main() {
    const uint lane = gl_LocalInvocationIndex, lanes = gl_WorkGroupSize.x;
    uint count = 0, sum = 0, before = 0;
    uvec4 many = uvec4(0);
    for (uint i = 0; i < lanes; ++i) {
        if (isLikeFew(lane, i)) {
            ++count;
            if (i < lane) before += (src[i * 5 + lane % 5] & 1u) + i;
        }
        if (isLikeMany(lane, i)) {
            sum += 7 + i;
            many[i / 32] |= 1u << (i % 32);
        }
    }
    // Adding few[0], which is many[0], to each component makes the same parts.
    dst[lane] = count;
    dst[lanes + lane] = sum;
    dst[lanes * 2 + lane] = before;
    dst[lanes * 3 + lane] = many[lane / 32] ^ 1u;
}
