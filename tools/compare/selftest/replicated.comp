// SPDX-License-Identifier: Apache-2.0
#version 460
#pragma use_replicated_composites
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

void main() {
    vec4 x = vec4(float(a[gl_LocalInvocationIndex])) * vec4(3.0);
    c[gl_LocalInvocationIndex] = dot(x, vec4(1.0, 2.0, 3.0, 4.0));
}
