// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 4) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[4]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    // Bindings 0 and 2, by turns, in each order.
    Words first = Words((i % 2 == 0 ? 1ul : 3ul) << 32), second = Words((i < 2 ? 3ul : 1ul) << 32);
    outputs[i * 2] = first.words[i];
    outputs[i * 2 + 1] = second.words[3 - i];
    if (i % 2 == 0) second.words[0] += 1;
}
