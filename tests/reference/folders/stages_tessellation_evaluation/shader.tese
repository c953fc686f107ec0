// SPDX-License-Identifier: Apache-2.0
#version 460
layout(triangles) in;
layout(location = 0) in int a[];
layout(location = 0) out float x;
void main() { x = a[2] + gl_TessCoord.y; }
