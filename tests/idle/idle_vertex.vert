// SPDX-License-Identifier: Apache-2.0
#version 450
layout(constant_id = 0) const float kScale = 1;
layout(location = 0) out vec4 color;
void main() {
    const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    color = vec4(corner, kScale, 1);
    gl_Position = vec4(kScale * (4 * corner - 1), 0, 1);
}
