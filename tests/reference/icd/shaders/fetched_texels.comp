#version 460
// SPDX-License-Identifier: Apache-2.0
// Texels of a buffer, which GLSL declares together with a sampler.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Results { uint results[]; };
layout(set = 0, binding = 1) uniform usamplerBuffer texels;

void main() {
    uint i = gl_LocalInvocationIndex;
    results[i] = texelFetch(texels, int(i)).r;
}
