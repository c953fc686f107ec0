// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
layout(binding = 2) buffer D { float d[]; };
void main() {
    for (uint row = 0; row < 8; ++row) {
        const uint i = row * 8 + gl_LocalInvocationIndex;
        d[i] = a[i] - 2 * b[i];
    }
}
