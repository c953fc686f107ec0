// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer In { float minus, plus, one; uint half_; };
layout(set = 0, binding = 1, std430) buffer Out { float outputs[]; };

void main() {
    outputs[0] = min(minus, plus);
    outputs[1] = min(plus, minus);
    outputs[2] = max(minus, plus);
    outputs[3] = max(plus, minus);
    outputs[4] = clamp(minus, plus, one);
    outputs[5] = clamp(plus, minus, one);
    mat2 inverted = inverse(mat2(vec2(one, plus), vec2(minus, one)));
    outputs[6] = inverted[0].y;
    outputs[7] = inverted[1].x;
    outputs[8] = uintBitsToFloat(packFloat2x16(degrees(unpackFloat2x16(half_))));
    outputs[9] = abs(sign(uintBitsToFloat(0x7FC00000u) + plus)) <= 1 ? 1 : 0;
}
