// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_compute_shader_derivatives : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
layout(derivative_group_quadsKHR) in;
layout(set = 0, binding = 0, std430) buffer In { float inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { float outputs[][5]; };

void main() {
    uvec3 at = gl_LocalInvocationID;
    uint index = (at.z * 2 + at.y) * 4 + at.x;
    float a = inputs[index];
    outputs[index] = float[](dFdxFine(a), dFdyFine(a), dFdxCoarse(a), fwidthCoarse(a),
                             subgroupQuadBroadcast(float(gl_LocalInvocationIndex), 3));
}
