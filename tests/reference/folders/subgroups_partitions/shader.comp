// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_NV_shader_subgroup_partitioned : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

uint next = 0;
void put(uint x) { outputs[gl_LocalInvocationIndex * 22 + next++] = x; }

void main() {
    uint x = inputs[gl_LocalInvocationIndex];
    if (inputs[16 + gl_LocalInvocationIndex] == 0) return;
    uvec4 set = subgroupPartitionNV(inputs[8 + gl_LocalInvocationIndex]);
    put(set.x);
    put(subgroupPartitionedAddNV(x, set));
    put(subgroupPartitionedInclusiveAddNV(x, set));
    put(subgroupPartitionedExclusiveAddNV(x, set));
    put(subgroupPartitionedMulNV(x, set));
    put(subgroupPartitionedInclusiveMulNV(x, set));
    put(subgroupPartitionedExclusiveMulNV(x, set));
    put(subgroupPartitionedMinNV(x, set));
    put(subgroupPartitionedInclusiveMinNV(x, set));
    put(subgroupPartitionedExclusiveMinNV(x, set));
    put(subgroupPartitionedMaxNV(x, set));
    put(subgroupPartitionedInclusiveMaxNV(x, set));
    put(subgroupPartitionedExclusiveMaxNV(x, set));
    put(subgroupPartitionedAndNV(x, set));
    put(subgroupPartitionedInclusiveAndNV(x, set));
    put(subgroupPartitionedExclusiveAndNV(x, set));
    put(subgroupPartitionedOrNV(x, set));
    put(subgroupPartitionedInclusiveOrNV(x, set));
    put(subgroupPartitionedExclusiveOrNV(x, set));
    put(subgroupPartitionedXorNV(x, set));
    put(subgroupPartitionedInclusiveXorNV(x, set));
    put(subgroupPartitionedExclusiveXorNV(x, set));
}
