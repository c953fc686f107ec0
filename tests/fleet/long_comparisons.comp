// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of long vectors, and what combines their results.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "long_vectors.glsl"

void main() {
    uint i = gl_GlobalInvocationID.x;
    V a = x[i], b = y[i];
    vector<bool, 1024> less = lessThan(a, b), same = equal(a, b);
    results[i] = mix(mix(a, b, less), a + b, notEqual(a, V(1.0)));
    scalars[i] = uint(any(less)) + 2 * uint(all(lessThanEqual(a, b))) + 4 * uint(any(same)) +
                 8 * uint(all(not(less))) + 16 * uint(a == b) + 32 * uint(a != b);
}
