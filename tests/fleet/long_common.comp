// SPDX-License-Identifier: Apache-2.0
//
// Functions on long vectors, of which modf has two results.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "long_vectors.glsl"

void main() {
    uint i = gl_GlobalInvocationID.x;
    V a = x[i] * 0.5, b = y[i], whole;
    V part = modf(a, whole);
    results[i] = floor(a) + ceil(a) * 2.0 + fract(a) + trunc(a) + abs(b) + sign(b) + part + whole +
                 max(a, b) + clamp(a, -1.0, 1.0) + step(b, a) + mix(a, b, 0.5) + fma(a, b, a);
    scalars[i] = uint(any(isnan(a))) + 2 * uint(any(isinf(b)));
}
