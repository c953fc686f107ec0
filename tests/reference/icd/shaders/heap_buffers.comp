#version 460
// SPDX-License-Identifier: Apache-2.0
// Of two words: their values and ten times those of a uniform buffer. All buffers are in a heap.
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 2) in;
layout(descriptor_heap, std430) buffer Words { uint words[]; } storage[];
layout(descriptor_heap, std140) uniform Block { uvec2 words; } blocks[];
layout(push_constant) uniform Push { uint from, block, to, swaps; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    storage[to].words[i] = storage[from].words[i ^ swaps] + 10 * blocks[block].words[i];
}
