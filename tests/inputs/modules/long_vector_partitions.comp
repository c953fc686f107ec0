// Partitions of a subgroup by long vectors, and operations in the parts: with components in
// variables, and with as many as are computed in a loop.
// test: needs VK_NV_shader_subgroup_partitioned
// test: subgroup
// test: buffers u32:640 zero:512
#version 460
#extension GL_EXT_long_vector : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_NV_shader_subgroup_partitioned : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint F = 5;
layout(constant_id = 2) const uint M = 40;
layout(binding = 0) readonly buffer Source { uint src[]; };
layout(binding = 1) buffer Result { uint dst[]; };
void main() {
    const uint lane = gl_SubgroupInvocationID, lanes = gl_SubgroupSize;
    vector<uint, F> few;
    vector<uint, M> many;
    for (uint i = 0; i < 5; ++i) few[i] = src[lane * 5 + i] & 1u;
    for (uint i = 0; i < 40; ++i) many[i] = (i == 0 || i == 39) ? src[lane * 5 + i / 10] & 1u : i;
    const uvec4 ofFew = subgroupPartitionNV(few), ofMany = subgroupPartitionNV(many);
    dst[lane] = bitCount(ofFew.x) + bitCount(ofFew.y) + bitCount(ofFew.z) + bitCount(ofFew.w);
    dst[lanes + lane] = subgroupPartitionedAddNV(many + lane, ofMany)[7];
    dst[lanes * 2 + lane] = subgroupPartitionedExclusiveAddNV(few + lane, ofFew)[lane % 5];
    dst[lanes * 3 + lane] = ofMany[lane / 32] ^ uint(subgroupPartitionNV(many + few[0]) == ofMany);
}
