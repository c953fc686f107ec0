// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint8_t first;
shared uint8_t many[17];
shared uint8_t last;

void main() {
    first = uint8_t(inputs[0]);
    for (uint k = 0; k < 17; ++k) many[k] = uint8_t(inputs[1] + k);
    last = uint8_t(inputs[2]);
    uint sum = 0;
    for (uint k = 0; k < 17; ++k) sum += uint(many[k]);
    outputs[0] = uint(first);
    outputs[1] = sum;
    outputs[2] = uint(last);
}
