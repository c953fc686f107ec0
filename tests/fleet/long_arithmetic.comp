// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of long vectors.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "long_vectors.glsl"

void main() {
    uint i = gl_GlobalInvocationID.x;
    V a = x[i], b = y[i];
    a = (a + b) * a - b;
    a += b * 3.0;
    a *= 2.0;
    ++a;
    results[i] = -a;
}
