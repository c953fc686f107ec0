// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer In {
    layout(row_major) mat3x2 a[2];
    mat3x2 b[2];
    mat2x3 c[2];
    layout(row_major) mat2x3 d[2];
} from;
layout(set = 0, binding = 1, std430) buffer Out { float outputs[]; };
layout(set = 0, binding = 2, std430) buffer Copy {
    mat3x2 a[2];
    layout(row_major) mat3x2 b[2];
    layout(row_major) mat2x3 c[2];
    mat2x3 d[2];
} to;

shared mat2x3 own[2];
uint next = 0;
void put(vec2 v) { outputs[next++] = v.x; outputs[next++] = v.y; }
void put(vec3 v) { put(v.xy); outputs[next++] = v.z; }
void put(mat3x2 m) { put(m[0]); put(m[1]); put(m[2]); }
void put(mat2x3 m) { put(m[0]); put(m[1]); }

void main() {
    uint one = 1 + gl_LocalInvocationIndex;
    put(from.a[1]);           // the whole matrix
    put(from.b[1]);
    put(from.c[1]);
    put(from.d[1]);
    put(from.a[one][one]);    // a column
    put(from.b[one][one]);
    put(from.c[one][one]);
    put(from.d[one][one]);
    put(vec2(from.a[one][2][one], from.b[one][2][one]));  // an element
    put(vec2(from.c[one][one][2], from.d[one][one][2]));
    to.a[0] = from.a[0];
    to.b[0] = from.b[0];
    to.c[0] = from.c[0];
    to.d[0] = from.d[0];
    to.a[1][one] = from.a[1][2];
    to.b[1][one] = from.b[1][2];
    to.c[1][one] = from.c[1][0];
    to.d[1][one] = from.d[1][0];
    to.a[one][2][one] = 101;
    to.b[one][2][one] = 102;
    to.c[one][one][2] = 103;
    to.d[one][one][2] = 104;
    own[0] = from.c[0];
    own[1] = from.c[1];
    own[one][0] = own[0][one];
    put(own[0]);
    put(own[1]);
}
