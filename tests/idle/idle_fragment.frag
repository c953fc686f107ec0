// SPDX-License-Identifier: Apache-2.0
#version 450
layout(constant_id = 0) const float kScale = 1;
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main() {
    vec4 sum = vec4(0);
    for (int i = 0; i < 16; ++i) sum += sin(color * (kScale + i));
    result = sum;
}
