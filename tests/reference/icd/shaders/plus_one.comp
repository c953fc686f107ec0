// SPDX-License-Identifier: Apache-2.0
// Adds one to two words. From a storage buffer, a uniform buffer or an address.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 2) in;
layout(constant_id = 1) const uint from = 0;

layout(buffer_reference, std430) readonly buffer Pointed { uint words[]; };
layout(set = 0, binding = 0, std430) readonly buffer In { uint words[]; } source;
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint words[]; } target;
layout(set = 0, binding = 2, std140) uniform Uniform { uvec2 words; } block;
layout(push_constant) uniform Push { uint64_t address; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    const uint word = from == 0   ? source.words[i]
                      : from == 1 ? block.words[i]
                                  : Pointed(address).words[i];
    target.words[i] = word + 1;
}
