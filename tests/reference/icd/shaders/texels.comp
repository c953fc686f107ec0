#version 460
// SPDX-License-Identifier: Apache-2.0
// Each kind of access to an image or a texel buffer, one result of each invocation.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer Results { vec4 results[]; };
layout(set = 0, binding = 1) uniform sampler2D sampled;
layout(set = 0, binding = 2, rgba8) uniform readonly image2D stored;
layout(set = 0, binding = 3, r32ui) uniform uimage2D counters;
layout(set = 0, binding = 4) uniform samplerBuffer texels;
layout(set = 0, binding = 5, r32i) uniform iimageBuffer integers;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint i = gl_LocalInvocationIndex;
    // Between four texels, so that a linear filter gives their mean.
    results[5 * i] = textureLod(sampled, (vec2(at) + 1.0) / vec2(textureSize(sampled, 0)), 0.0);
    results[5 * i + 1] = texelFetch(sampled, at, 0);
    results[5 * i + 2] = imageLoad(stored, at);
    uint before = imageAtomicAdd(counters, ivec2(0, 1), 1u);
    results[5 * i + 3] = vec4(texelFetch(texels, int(i)).rg, imageSize(integers), before < 16u ? 1.0 : 0.0);
    results[5 * i + 4] = textureGather(sampled, (vec2(at) + 1.0) / 4.0, 1);
    imageStore(integers, int(i), ivec4(-int(i)));
}
