// SPDX-License-Identifier: Apache-2.0
// 16 operations in an iteration of each invocation.
#version 460
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };
layout(push_constant) uniform P { uint iterations; };

void main() {
    float x = float(a[gl_LocalInvocationIndex]) * 0.1;
    vec4 s = vec4(x), t = vec4(x + 1.0);
    for (uint i = 0u; i < iterations; ++i) {
        s = fma(s, vec4(0.99), vec4(x));
        t = fma(t, vec4(0.98), vec4(x));
    }
    c[gl_GlobalInvocationID.x] = dot(s, t);
}
