// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint writer = 0;
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint number;

void main() {
    const uint group = gl_WorkGroupID.x;
    if (writer == 2 || group == writer) number = 7;
    outputs[group] = number;
}
