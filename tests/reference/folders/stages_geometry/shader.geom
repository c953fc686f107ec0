// SPDX-License-Identifier: Apache-2.0
#version 460
layout(lines) in;
layout(line_strip, max_vertices = 3) out;
layout(location = 0) in int a[];
layout(location = 0) out int x;
void main() {
    for (int i = 0; i < a[1]; ++i) {
        x = a[0] + i;
        EmitVertex();
        if (i == 1) EndPrimitive(), EndPrimitive();
    }
}
