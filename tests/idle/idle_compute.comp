// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const float kScale = 1;
layout(push_constant) uniform Push { vec4 value; };
shared vec4 sums[64];
void main() {
    sums[gl_LocalInvocationIndex] = value * kScale;
    for (uint step = 32; step > 0; step >>= 1) {
        barrier();
        if (gl_LocalInvocationIndex < step) {
            sums[gl_LocalInvocationIndex] += sums[gl_LocalInvocationIndex + step];
        }
    }
}
