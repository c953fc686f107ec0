// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 8) in;
layout(constant_id = 0) const uint waits = 0;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    for (uint k = 0; k < 4; ++k) {
        if (waits == 1) barrier();
        if (k == i % 4) continue;
        outputs[i] = k;
    }
}
