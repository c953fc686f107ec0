// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint keeps = 0;
layout(set = 0, binding = 0, std430) buffer In { float inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { float outputs[]; };

void main() {
    float root = sqrt(inputs[0]);
    outputs[0] = keeps == 1 ? root : 1.0;
}
