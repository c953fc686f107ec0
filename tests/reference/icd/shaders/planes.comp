#version 460
// SPDX-License-Identifier: Apache-2.0
// Samples of an image of 4 x 4 texels in the middle of each.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer Results { vec4 results[]; };
layout(set = 0, binding = 1) uniform sampler2D image;

void main() {
    const vec2 at = (vec2(gl_LocalInvocationID.xy) + 0.5) / 4;
    results[gl_LocalInvocationIndex] = textureLod(image, at, 0.0);
}
