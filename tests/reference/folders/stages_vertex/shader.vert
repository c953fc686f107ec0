// SPDX-License-Identifier: Apache-2.0
#version 460
layout(location = 0) in vec2 a;
layout(location = 1) in ivec2 b;
layout(location = 0) out vec2 x;
layout(location = 3, component = 1) out int y;
void main() {
    x = a.yx * 2;
    y = b.x - b.y + gl_VertexIndex;
    gl_Position = vec4(a, 0, 1);
}
