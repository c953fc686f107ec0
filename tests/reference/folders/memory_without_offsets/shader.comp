// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

struct Inner { uint a; uvec3 b; uint c; };
struct Outer { uint first; Inner inner[2]; mat2x3 m; uint last; };
shared Outer all[2];
shared uint behind;

void main() {
    uint next = 0;
    for (uint i = 0; i < 2; ++i) {
        all[i].first = inputs[next++];
        for (uint k = 0; k < 2; ++k) {
            all[i].inner[k].a = inputs[next++];
            all[i].inner[k].b = uvec3(inputs[next], inputs[next + 1], inputs[next + 2]);
            next += 3;
            all[i].inner[k].c = inputs[next++];
        }
        for (uint c = 0; c < 2; ++c)
            for (uint r = 0; r < 3; ++r) all[i].m[c][r] = uintBitsToFloat(inputs[next++]);
        all[i].last = inputs[next++];
    }
    behind = inputs[next++];
    next = 0;
    for (uint i = 0; i < 2; ++i) {
        outputs[next++] = all[i].first;
        for (uint k = 0; k < 2; ++k) {
            outputs[next++] = all[i].inner[k].a;
            for (uint c = 0; c < 3; ++c) outputs[next++] = all[i].inner[k].b[c];
            outputs[next++] = all[i].inner[k].c;
        }
        for (uint c = 0; c < 2; ++c)
            for (uint r = 0; r < 3; ++r) outputs[next++] = floatBitsToUint(all[i].m[c][r]);
        outputs[next++] = all[i].last;
    }
    outputs[next++] = behind;
}
