// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer In { float inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { float outputs[]; };

uint next = 0;
void put(float x) { outputs[gl_LocalInvocationIndex * 78 + next++] = x; }

float x(uint n) { return inputs[n] + float(gl_LocalInvocationIndex); }
mat2x3 m23() { return mat2x3(x(0), x(1), x(2), x(3), x(4), x(5)); }
mat4x2 m42() { return mat4x2(x(6), x(7), x(8), x(9), x(10), x(11), x(12), x(13)); }
mat3x4 m34() { return mat3x4(x(3), x(1), x(4), x(7), x(5), x(9), x(2), x(6), x(8), x(10), x(0), x(11)); }
void put(vec2 v) { put(v.x); put(v.y); }
void put(vec3 v) { put(v.xy); put(v.z); }
void put(vec4 v) { put(v.xyz); put(v.w); }

void main() {
    mat4x3 a = m23() * m42();
    for (uint c = 0; c < 4; ++c) put(a[c]);
    mat2x4 b = m34() * m23();
    for (uint c = 0; c < 2; ++c) put(b[c]);
    put(m23() * vec2(x(14), x(15)));
    put(m42() * vec4(x(12), x(13), x(14), x(15)));
    put(vec3(x(9), x(10), x(11)) * m23());
    put(vec2(x(9), x(10)) * m42());
    mat2x3 d = outerProduct(vec3(x(1), x(2), x(3)), vec2(x(4), x(5)));
    for (uint c = 0; c < 2; ++c) put(d[c]);
    mat4x2 e = outerProduct(vec2(x(1), x(2)), vec4(x(3), x(4), x(5), x(6)));
    for (uint c = 0; c < 4; ++c) put(e[c]);
    mat3x2 f = transpose(m23());
    for (uint c = 0; c < 3; ++c) put(f[c]);
    mat4x3 g = transpose(m34());
    for (uint c = 0; c < 4; ++c) put(g[c]);
    mat2x3 h = m23() * x(7);
    for (uint c = 0; c < 2; ++c) put(h[c]);
    put(dot(vec2(x(1), x(2)), vec2(x(3), x(4))));
    put(dot(vec4(x(1), x(2), x(3), x(4)), vec4(x(5), x(6), x(7), x(8))));
    put(cross(vec3(x(1), x(2), x(3)), vec3(x(5), x(7), x(6))));
    put(vec4(x(1), x(2), x(3), x(4)) * x(9));
}
