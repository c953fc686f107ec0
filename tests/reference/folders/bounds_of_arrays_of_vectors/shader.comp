// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint index = 0;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    uvec4[2] values = uvec4[2](uvec4(1, 2, 3, 4), uvec4(5, 6, 7, 8));
    for (uint turn = 0; turn < 2; ++turn) {
        uvec4 value = values[turn + index];
        for (uint i = 0; i < 4; ++i) outputs[4 * turn + i] = value[i];
    }
}
