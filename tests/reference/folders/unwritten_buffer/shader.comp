// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint index = 0;
layout(constant_id = 1) const uint isAtomic = 0;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    uint number = 0;
    if (isAtomic == 1)
        atomicAdd(inputs[index], 1);
    else
        number = inputs[index] * 0;
}
