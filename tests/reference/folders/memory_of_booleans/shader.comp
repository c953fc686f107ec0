// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

struct Marks {
    bool odd;
    bvec3 bits;
};
shared bool large[4];
shared Marks marks[4];

void main() {
    uint i = gl_LocalInvocationIndex, x = inputs[i];
    large[i] = x > 5;
    marks[i].odd = (x & 1) != 0;
    marks[i].bits = bvec3((x & 2) != 0, (x & 4) != 0, (x & 8) != 0);
    barrier();
    Marks m = marks[i ^ 1];
    bool read = marks[i ^ 2].bits.y;
    outputs[i] = uint(large[3 - i]) + 10 * uint(m.odd) + 100 * uint(m.bits.x) + 1000 * uint(m.bits.y) + 10000 * uint(m.bits.z) + 100000 * uint(read);
}
