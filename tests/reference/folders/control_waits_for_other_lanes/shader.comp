// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer Turn { uint turn; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[4]; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    if (i == 0) {
        uint k = 0;
        while (atomicAdd(turn, 0) == 0) ++k;
        outputs[i] = min(k, 1);
    } else if (i == 1) {
        outputs[i] = atomicAdd(turn, 1) + 2;
    }
}
