#version 460
#extension GL_KHR_compute_shader_derivatives : require
// SPDX-License-Identifier: Apache-2.0
// Samples without a level of detail, of an image of 4 x 4 texels with two levels: derivatives of
// four invocations say it. images[0] mixes levels, images[1] does not.
layout(local_size_x = 4) in;
layout(derivative_group_linearKHR) in;
layout(set = 0, binding = 0) buffer Results { vec4 results[]; };
layout(set = 0, binding = 1) uniform sampler2D images[3];

void main() {
    const uint lane = gl_LocalInvocationIndex;
    const vec2 start = vec2(0.25);
    const vec2 across = start + vec2(lane & 1, 0.0), down = start + vec2(0.0, lane >> 1);
    const float half_a_level = 0.25 * sqrt(2.0);
    const float xs[] = {0.0, 0.25, 0.0, 0.5};
    // Each invocation's, then those of the first one.
    results[lane] = texture(images[0], start + vec2(xs[lane], 0.0));
    const vec4 first[] = {
        texture(images[0], start + (across - start) * half_a_level),
        texture(images[0], start + (down - start) * 0.5),
        texture(images[0], start + (across - start) * 0.25, 0.5),
        textureProj(images[0], vec3(2.0 * (start + (across - start) * 0.5), 2.0)),
        vec4(textureQueryLod(images[0], start + (across - start) * half_a_level), 0.0, 0.0),
        vec4(textureQueryLod(images[1], start + (across - start) * 0.25 * exp2(0.75)), 0.0, 0.0),
        vec4(textureQueryLod(images[0], start + (down - start) * 2.0), 0.0, 0.0)};
    if (lane == 0)
        for (int i = 0; i < first.length(); ++i) results[4 + i] = first[i];
}
