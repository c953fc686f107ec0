// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_NV_shader_subgroup_partitioned : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    outputs[i] = subgroupPartitionedAddNV(i + 1, uvec4(inputs[i], 0, 0, 0));
}
