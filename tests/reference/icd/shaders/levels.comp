#version 460
// SPDX-License-Identifier: Apache-2.0
// Samples of an image with two levels, through a linear sampler and two with a border.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Results { vec4 results[]; };
layout(set = 0, binding = 1) uniform sampler2D images[3];

void main() {
    const vec2 middle = vec2(0.5);
    results[0] = textureLod(images[0], middle, 0.25);
    results[1] = textureLod(images[0], middle, 7.0);
    results[2] = textureGrad(images[0], middle, vec2(0.5, 0.0), vec2(0.0));
    results[3] = vec4(textureSize(images[0], 1).x, textureQueryLevels(images[0]), 0.0, 0.0);
    results[4] = textureLod(images[1], vec2(-1.0, 0.5), 0.0);
    results[5] = textureLod(images[1], middle, 0.75);
    results[6] = textureLod(images[2], vec2(-1.0 / 4096, 0.5), 0.0);
    results[7] = textureGather(images[2], vec2(0.125 - 1.0 / 4096, 0.5));
}
