// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 7, local_size_y_id = 4, local_size_z_id = 2) in;
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    uvec3 size = gl_WorkGroupSize;
    if (gl_LocalInvocationIndex == size.x * size.y * size.z - 1)
        outputs[0] = size.x + 100 * size.y + 10000 * size.z;
    atomicAdd(outputs[1], 1);
}
