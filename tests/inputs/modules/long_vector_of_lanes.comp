// Components of long vectors that lanes choose each for itself, after operations of the subgroup.
// test: subgroup
// test: buffers u32:1152 zero:512
#version 460
#extension GL_EXT_long_vector : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint L = 9;
layout(binding = 0) readonly buffer Source { uint src[]; };
layout(binding = 1) buffer Result { uint dst[]; };
void main() {
    const uint lane = gl_SubgroupInvocationID, lanes = gl_SubgroupSize;
    vector<uint, L> v;
    for (uint i = 0; i < 9; ++i) v[i] = src[lane * 9 + i];
    const uint chosen = lane % 9;
    dst[lane] = subgroupAdd(v)[chosen];
    dst[lanes + lane] = subgroupBroadcastFirst(v)[chosen];
    dst[lanes * 2 + lane] = subgroupShuffleXor(v, 1)[chosen];
    dst[lanes * 3 + lane] = (v * 2u)[chosen];
}
