// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer In { float inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { float outputs[]; };

uint next = 0;
void put(float x) { outputs[gl_LocalInvocationIndex * 26 + next++] = x; }

void put(vec3 v) { put(v.x); put(v.y); put(v.z); }
vec3 of(uint n) { return vec3(inputs[n], inputs[n + 1], inputs[n + 2]); }

void main() {
    float s = exp2(float(gl_LocalInvocationIndex));
    vec3 v = of(0), n = of(3);
    put(length(v * s));
    put(distance(v * s, of(6) * s));
    put(normalize(v * s));
    put(reflect(v * s, n));
    put(faceforward(n, v, of(9) * s));
    put(faceforward(n, v, -of(9) * s));
    put(faceforward(n, vec3(0), v));
    put(refract(of(9), n, inputs[12]) * s);
    put(refract(-of(9), n, inputs[12]) * s);
    put(refract(v, n, inputs[13]) * s);
}
