#version 460
// SPDX-License-Identifier: Apache-2.0
// Images, samplers and texel buffers in heaps. The resource with number n is of the nth kind.
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 4) in;
layout(descriptor_heap) buffer Results { vec4 results[]; } buffers[];
layout(descriptor_heap) uniform texture2D textures[];
layout(descriptor_heap) uniform sampler samplers[];
layout(descriptor_heap, rgba8) uniform image2D images[];
layout(descriptor_heap, r32ui) uniform uimage2D counters[];
layout(descriptor_heap) uniform textureBuffer texels[];
layout(descriptor_heap, r32i) uniform iimageBuffer integers[];
layout(push_constant) uniform Push { uint border; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    imageAtomicAdd(counters[3], ivec2(0, 1), 1u);
    imageStore(integers[5], int(i), ivec4(-int(i)));
    if (i != 0) return;
    const vec2 beside = vec2(-1.0, 0.5);
    buffers[0].results[0] = textureLod(sampler2D(textures[1], samplers[border]), beside, 0.0);
    buffers[0].results[1] = textureLod(sampler2D(textures[1], samplers[border]), vec2(0.5), 0.0);
    buffers[0].results[2] = imageLoad(images[2], ivec2(1));
    buffers[0].results[3] = texelFetch(texels[4], 1);
    buffers[0].results[4] = vec4(textureSize(textures[6], 0), imageSize(integers[5]), 0.0);
}
