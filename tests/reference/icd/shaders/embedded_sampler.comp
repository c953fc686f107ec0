#version 460
// SPDX-License-Identifier: Apache-2.0
// A sample beside an image, through a sampler that is a set of its own.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Results { vec4 result; };
layout(set = 0, binding = 1) uniform texture2D image;
layout(set = 1, binding = 0) uniform sampler border;

void main() { result = textureLod(sampler2D(image, border), vec2(-1.0, 0.5), 0.0); }
