// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer In { float inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { float outputs[]; };

uint next = 0;
void put(float x) { outputs[gl_LocalInvocationIndex * 32 + next++] = x; }

float s() { return exp2(float(gl_LocalInvocationIndex)); }
mat2 a() { return mat2(inputs[0], inputs[1], inputs[2], inputs[3]) * s(); }
mat3 b() {
    return mat3(inputs[4], inputs[5], inputs[6], inputs[7], inputs[8], inputs[9], inputs[10], inputs[11], inputs[12]) * s();
}
mat4 c() {
    mat4 m;
    for (uint i = 0; i < 16; ++i) m[i / 4][i % 4] = inputs[13 + i];
    return m * s();
}

void main() {
    mat2 ai = inverse(a());
    for (uint i = 0; i < 4; ++i) put(ai[i / 2][i % 2]);
    mat3 bi = inverse(b());
    for (uint i = 0; i < 9; ++i) put(bi[i / 3][i % 3]);
    mat4 ci = inverse(c());
    for (uint i = 0; i < 16; ++i) put(ci[i / 4][i % 4]);
    put(determinant(a()));
    put(determinant(b()));
    put(determinant(c()));
}
