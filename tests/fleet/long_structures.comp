// SPDX-License-Identifier: Apache-2.0
//
// Structures and arrays of long vectors as values, parameters and results.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "long_vectors.glsl"

struct Part {
    float first;
    V v;
    V w[2];
};
layout(set = 0, binding = 4, scalar) readonly buffer Parts { Part parts[]; };

Part changed(Part p) {
    p.v += p.first;
    p.w[1] = p.w[0];
    p.w[0][0] = 5.0;
    return p;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    Part p = parts[0], q = changed(p);
    p.w = q.w;
    p.w[i % 2] += q.v;
    if (i % 3 == 0) q = p;
    V rows[2] = V[2](p.v, q.w[1]);
    results[i] = rows[i % 2] + p.w[0] + q.w[1] + parts[0].w[i % 2] + x[i] + y[i];
}
