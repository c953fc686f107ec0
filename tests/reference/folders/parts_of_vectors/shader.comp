// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer In { vec4 inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uvec4 outputs[]; };

void main() {
    uint first = gl_LocalInvocationIndex * 4;
    vec4 x = inputs[gl_LocalInvocationIndex], whole;
    ivec4 exponent;
    outputs[first] = floatBitsToUint(modf(x, whole));
    outputs[first + 1] = floatBitsToUint(whole);
    outputs[first + 2] = floatBitsToUint(frexp(x, exponent));
    outputs[first + 3] = uvec4(exponent);
}
