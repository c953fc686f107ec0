// SPDX-License-Identifier: Apache-2.0
//
// A chain of element-wise statements on long vectors.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "long_vectors.glsl"

void main() {
    uint i = gl_GlobalInvocationID.x;
    V a = x[i], b = y[i], c;
    a = a + b;
    c = a * b;
    b = b - c;
    a *= 0.5;
    c = max(a, b);
    b = abs(b) + c;
    a = fma(a, b, c);
    c = -c;
    a = min(a, c) + 1.0;
    b = floor(b);
    c = mix(a, b, 0.25);
    a = a / (abs(c) + 1.0);
    b += a;
    results[i] = a * b + c;
}
