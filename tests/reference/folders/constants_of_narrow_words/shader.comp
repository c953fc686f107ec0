// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(constant_id = 0) const int8_t a = int8_t(5);
layout(constant_id = 1) const int16_t b = int16_t(6);
layout(constant_id = 2) const uint8_t c = uint8_t(7);
layout(set = 0, binding = 1, std430) buffer Out { int outputs[]; };

void main() {
    outputs[0] = int(a);
    outputs[1] = int(b);
    outputs[2] = int(c);
}
