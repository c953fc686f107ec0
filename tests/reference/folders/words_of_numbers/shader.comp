// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer In { float inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

uint next = 0;
void put(uint x) { outputs[next++] = x; }
void put(int x) { put(uint(x)); }
void put(float x) { put(floatBitsToUint(x)); }
void put(bool x) { put(x ? 1u : 0u); }
void put(vec2 v) { put(v.x); put(v.y); }
void put(vec4 v) { put(v.xy); put(v.zw); }

void main() {
    put(packSnorm4x8(vec4(inputs[0], inputs[1], inputs[2], inputs[3])));
    put(packUnorm4x8(vec4(inputs[0], inputs[1], inputs[2], inputs[3])));
    put(packSnorm2x16(vec2(inputs[0], inputs[1])));
    put(packUnorm2x16(vec2(inputs[0], inputs[1])));
    put(packSnorm4x8(vec4(inputs[4], inputs[5], inputs[6], inputs[7])));
    put(packUnorm4x8(vec4(inputs[4], inputs[5], inputs[6], inputs[7])));
    put(packSnorm2x16(vec2(inputs[4], inputs[5])));
    put(packUnorm2x16(vec2(inputs[4], inputs[5])));
    put(packSnorm4x8(vec4(inputs[8], inputs[9], inputs[10], inputs[11])));
    put(packUnorm4x8(vec4(inputs[8], inputs[9], inputs[10], inputs[11])));
    put(packSnorm2x16(vec2(inputs[8], inputs[9])));
    put(packUnorm2x16(vec2(inputs[8], inputs[9])));
    put(packHalf2x16(vec2(inputs[2], inputs[12])));
    put(unpackSnorm4x8(floatBitsToUint(inputs[13])));
    put(unpackUnorm4x8(floatBitsToUint(inputs[13])));
    put(unpackSnorm2x16(floatBitsToUint(inputs[13])));
    put(unpackUnorm2x16(floatBitsToUint(inputs[13])));
    put(unpackHalf2x16(floatBitsToUint(inputs[14])));
}
