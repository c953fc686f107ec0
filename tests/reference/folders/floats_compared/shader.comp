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
    put(1 * uint(inputs[0] < inputs[0]) + 2 * uint(inputs[0] <= inputs[0]) + 4 * uint(inputs[0] > inputs[0]) + 8 * uint(inputs[0] >= inputs[0]) + 16 * uint(inputs[0] == inputs[0]) + 32 * uint(inputs[0] != inputs[0]));
    put(1 * uint(inputs[0] < inputs[1]) + 2 * uint(inputs[0] <= inputs[1]) + 4 * uint(inputs[0] > inputs[1]) + 8 * uint(inputs[0] >= inputs[1]) + 16 * uint(inputs[0] == inputs[1]) + 32 * uint(inputs[0] != inputs[1]));
    put(1 * uint(inputs[0] < inputs[2]) + 2 * uint(inputs[0] <= inputs[2]) + 4 * uint(inputs[0] > inputs[2]) + 8 * uint(inputs[0] >= inputs[2]) + 16 * uint(inputs[0] == inputs[2]) + 32 * uint(inputs[0] != inputs[2]));
    put(1 * uint(inputs[0] < inputs[3]) + 2 * uint(inputs[0] <= inputs[3]) + 4 * uint(inputs[0] > inputs[3]) + 8 * uint(inputs[0] >= inputs[3]) + 16 * uint(inputs[0] == inputs[3]) + 32 * uint(inputs[0] != inputs[3]));
    put(1 * uint(inputs[0] < inputs[4]) + 2 * uint(inputs[0] <= inputs[4]) + 4 * uint(inputs[0] > inputs[4]) + 8 * uint(inputs[0] >= inputs[4]) + 16 * uint(inputs[0] == inputs[4]) + 32 * uint(inputs[0] != inputs[4]));
    put(1 * uint(inputs[0] < inputs[5]) + 2 * uint(inputs[0] <= inputs[5]) + 4 * uint(inputs[0] > inputs[5]) + 8 * uint(inputs[0] >= inputs[5]) + 16 * uint(inputs[0] == inputs[5]) + 32 * uint(inputs[0] != inputs[5]));
    put(1 * uint(inputs[0] < inputs[6]) + 2 * uint(inputs[0] <= inputs[6]) + 4 * uint(inputs[0] > inputs[6]) + 8 * uint(inputs[0] >= inputs[6]) + 16 * uint(inputs[0] == inputs[6]) + 32 * uint(inputs[0] != inputs[6]));
    put(1 * uint(inputs[1] < inputs[0]) + 2 * uint(inputs[1] <= inputs[0]) + 4 * uint(inputs[1] > inputs[0]) + 8 * uint(inputs[1] >= inputs[0]) + 16 * uint(inputs[1] == inputs[0]) + 32 * uint(inputs[1] != inputs[0]));
    put(1 * uint(inputs[1] < inputs[1]) + 2 * uint(inputs[1] <= inputs[1]) + 4 * uint(inputs[1] > inputs[1]) + 8 * uint(inputs[1] >= inputs[1]) + 16 * uint(inputs[1] == inputs[1]) + 32 * uint(inputs[1] != inputs[1]));
    put(1 * uint(inputs[1] < inputs[2]) + 2 * uint(inputs[1] <= inputs[2]) + 4 * uint(inputs[1] > inputs[2]) + 8 * uint(inputs[1] >= inputs[2]) + 16 * uint(inputs[1] == inputs[2]) + 32 * uint(inputs[1] != inputs[2]));
    put(1 * uint(inputs[1] < inputs[3]) + 2 * uint(inputs[1] <= inputs[3]) + 4 * uint(inputs[1] > inputs[3]) + 8 * uint(inputs[1] >= inputs[3]) + 16 * uint(inputs[1] == inputs[3]) + 32 * uint(inputs[1] != inputs[3]));
    put(1 * uint(inputs[1] < inputs[4]) + 2 * uint(inputs[1] <= inputs[4]) + 4 * uint(inputs[1] > inputs[4]) + 8 * uint(inputs[1] >= inputs[4]) + 16 * uint(inputs[1] == inputs[4]) + 32 * uint(inputs[1] != inputs[4]));
    put(1 * uint(inputs[1] < inputs[5]) + 2 * uint(inputs[1] <= inputs[5]) + 4 * uint(inputs[1] > inputs[5]) + 8 * uint(inputs[1] >= inputs[5]) + 16 * uint(inputs[1] == inputs[5]) + 32 * uint(inputs[1] != inputs[5]));
    put(1 * uint(inputs[1] < inputs[6]) + 2 * uint(inputs[1] <= inputs[6]) + 4 * uint(inputs[1] > inputs[6]) + 8 * uint(inputs[1] >= inputs[6]) + 16 * uint(inputs[1] == inputs[6]) + 32 * uint(inputs[1] != inputs[6]));
    put(1 * uint(inputs[2] < inputs[0]) + 2 * uint(inputs[2] <= inputs[0]) + 4 * uint(inputs[2] > inputs[0]) + 8 * uint(inputs[2] >= inputs[0]) + 16 * uint(inputs[2] == inputs[0]) + 32 * uint(inputs[2] != inputs[0]));
    put(1 * uint(inputs[2] < inputs[1]) + 2 * uint(inputs[2] <= inputs[1]) + 4 * uint(inputs[2] > inputs[1]) + 8 * uint(inputs[2] >= inputs[1]) + 16 * uint(inputs[2] == inputs[1]) + 32 * uint(inputs[2] != inputs[1]));
    put(1 * uint(inputs[2] < inputs[2]) + 2 * uint(inputs[2] <= inputs[2]) + 4 * uint(inputs[2] > inputs[2]) + 8 * uint(inputs[2] >= inputs[2]) + 16 * uint(inputs[2] == inputs[2]) + 32 * uint(inputs[2] != inputs[2]));
    put(1 * uint(inputs[2] < inputs[3]) + 2 * uint(inputs[2] <= inputs[3]) + 4 * uint(inputs[2] > inputs[3]) + 8 * uint(inputs[2] >= inputs[3]) + 16 * uint(inputs[2] == inputs[3]) + 32 * uint(inputs[2] != inputs[3]));
    put(1 * uint(inputs[2] < inputs[4]) + 2 * uint(inputs[2] <= inputs[4]) + 4 * uint(inputs[2] > inputs[4]) + 8 * uint(inputs[2] >= inputs[4]) + 16 * uint(inputs[2] == inputs[4]) + 32 * uint(inputs[2] != inputs[4]));
    put(1 * uint(inputs[2] < inputs[5]) + 2 * uint(inputs[2] <= inputs[5]) + 4 * uint(inputs[2] > inputs[5]) + 8 * uint(inputs[2] >= inputs[5]) + 16 * uint(inputs[2] == inputs[5]) + 32 * uint(inputs[2] != inputs[5]));
    put(1 * uint(inputs[2] < inputs[6]) + 2 * uint(inputs[2] <= inputs[6]) + 4 * uint(inputs[2] > inputs[6]) + 8 * uint(inputs[2] >= inputs[6]) + 16 * uint(inputs[2] == inputs[6]) + 32 * uint(inputs[2] != inputs[6]));
    put(1 * uint(inputs[3] < inputs[0]) + 2 * uint(inputs[3] <= inputs[0]) + 4 * uint(inputs[3] > inputs[0]) + 8 * uint(inputs[3] >= inputs[0]) + 16 * uint(inputs[3] == inputs[0]) + 32 * uint(inputs[3] != inputs[0]));
    put(1 * uint(inputs[3] < inputs[1]) + 2 * uint(inputs[3] <= inputs[1]) + 4 * uint(inputs[3] > inputs[1]) + 8 * uint(inputs[3] >= inputs[1]) + 16 * uint(inputs[3] == inputs[1]) + 32 * uint(inputs[3] != inputs[1]));
    put(1 * uint(inputs[3] < inputs[2]) + 2 * uint(inputs[3] <= inputs[2]) + 4 * uint(inputs[3] > inputs[2]) + 8 * uint(inputs[3] >= inputs[2]) + 16 * uint(inputs[3] == inputs[2]) + 32 * uint(inputs[3] != inputs[2]));
    put(1 * uint(inputs[3] < inputs[3]) + 2 * uint(inputs[3] <= inputs[3]) + 4 * uint(inputs[3] > inputs[3]) + 8 * uint(inputs[3] >= inputs[3]) + 16 * uint(inputs[3] == inputs[3]) + 32 * uint(inputs[3] != inputs[3]));
    put(1 * uint(inputs[3] < inputs[4]) + 2 * uint(inputs[3] <= inputs[4]) + 4 * uint(inputs[3] > inputs[4]) + 8 * uint(inputs[3] >= inputs[4]) + 16 * uint(inputs[3] == inputs[4]) + 32 * uint(inputs[3] != inputs[4]));
    put(1 * uint(inputs[3] < inputs[5]) + 2 * uint(inputs[3] <= inputs[5]) + 4 * uint(inputs[3] > inputs[5]) + 8 * uint(inputs[3] >= inputs[5]) + 16 * uint(inputs[3] == inputs[5]) + 32 * uint(inputs[3] != inputs[5]));
    put(1 * uint(inputs[3] < inputs[6]) + 2 * uint(inputs[3] <= inputs[6]) + 4 * uint(inputs[3] > inputs[6]) + 8 * uint(inputs[3] >= inputs[6]) + 16 * uint(inputs[3] == inputs[6]) + 32 * uint(inputs[3] != inputs[6]));
    put(1 * uint(inputs[4] < inputs[0]) + 2 * uint(inputs[4] <= inputs[0]) + 4 * uint(inputs[4] > inputs[0]) + 8 * uint(inputs[4] >= inputs[0]) + 16 * uint(inputs[4] == inputs[0]) + 32 * uint(inputs[4] != inputs[0]));
    put(1 * uint(inputs[4] < inputs[1]) + 2 * uint(inputs[4] <= inputs[1]) + 4 * uint(inputs[4] > inputs[1]) + 8 * uint(inputs[4] >= inputs[1]) + 16 * uint(inputs[4] == inputs[1]) + 32 * uint(inputs[4] != inputs[1]));
    put(1 * uint(inputs[4] < inputs[2]) + 2 * uint(inputs[4] <= inputs[2]) + 4 * uint(inputs[4] > inputs[2]) + 8 * uint(inputs[4] >= inputs[2]) + 16 * uint(inputs[4] == inputs[2]) + 32 * uint(inputs[4] != inputs[2]));
    put(1 * uint(inputs[4] < inputs[3]) + 2 * uint(inputs[4] <= inputs[3]) + 4 * uint(inputs[4] > inputs[3]) + 8 * uint(inputs[4] >= inputs[3]) + 16 * uint(inputs[4] == inputs[3]) + 32 * uint(inputs[4] != inputs[3]));
    put(1 * uint(inputs[4] < inputs[4]) + 2 * uint(inputs[4] <= inputs[4]) + 4 * uint(inputs[4] > inputs[4]) + 8 * uint(inputs[4] >= inputs[4]) + 16 * uint(inputs[4] == inputs[4]) + 32 * uint(inputs[4] != inputs[4]));
    put(1 * uint(inputs[4] < inputs[5]) + 2 * uint(inputs[4] <= inputs[5]) + 4 * uint(inputs[4] > inputs[5]) + 8 * uint(inputs[4] >= inputs[5]) + 16 * uint(inputs[4] == inputs[5]) + 32 * uint(inputs[4] != inputs[5]));
    put(1 * uint(inputs[4] < inputs[6]) + 2 * uint(inputs[4] <= inputs[6]) + 4 * uint(inputs[4] > inputs[6]) + 8 * uint(inputs[4] >= inputs[6]) + 16 * uint(inputs[4] == inputs[6]) + 32 * uint(inputs[4] != inputs[6]));
    put(1 * uint(inputs[5] < inputs[0]) + 2 * uint(inputs[5] <= inputs[0]) + 4 * uint(inputs[5] > inputs[0]) + 8 * uint(inputs[5] >= inputs[0]) + 16 * uint(inputs[5] == inputs[0]) + 32 * uint(inputs[5] != inputs[0]));
    put(1 * uint(inputs[5] < inputs[1]) + 2 * uint(inputs[5] <= inputs[1]) + 4 * uint(inputs[5] > inputs[1]) + 8 * uint(inputs[5] >= inputs[1]) + 16 * uint(inputs[5] == inputs[1]) + 32 * uint(inputs[5] != inputs[1]));
    put(1 * uint(inputs[5] < inputs[2]) + 2 * uint(inputs[5] <= inputs[2]) + 4 * uint(inputs[5] > inputs[2]) + 8 * uint(inputs[5] >= inputs[2]) + 16 * uint(inputs[5] == inputs[2]) + 32 * uint(inputs[5] != inputs[2]));
    put(1 * uint(inputs[5] < inputs[3]) + 2 * uint(inputs[5] <= inputs[3]) + 4 * uint(inputs[5] > inputs[3]) + 8 * uint(inputs[5] >= inputs[3]) + 16 * uint(inputs[5] == inputs[3]) + 32 * uint(inputs[5] != inputs[3]));
    put(1 * uint(inputs[5] < inputs[4]) + 2 * uint(inputs[5] <= inputs[4]) + 4 * uint(inputs[5] > inputs[4]) + 8 * uint(inputs[5] >= inputs[4]) + 16 * uint(inputs[5] == inputs[4]) + 32 * uint(inputs[5] != inputs[4]));
    put(1 * uint(inputs[5] < inputs[5]) + 2 * uint(inputs[5] <= inputs[5]) + 4 * uint(inputs[5] > inputs[5]) + 8 * uint(inputs[5] >= inputs[5]) + 16 * uint(inputs[5] == inputs[5]) + 32 * uint(inputs[5] != inputs[5]));
    put(1 * uint(inputs[5] < inputs[6]) + 2 * uint(inputs[5] <= inputs[6]) + 4 * uint(inputs[5] > inputs[6]) + 8 * uint(inputs[5] >= inputs[6]) + 16 * uint(inputs[5] == inputs[6]) + 32 * uint(inputs[5] != inputs[6]));
    put(1 * uint(inputs[6] < inputs[0]) + 2 * uint(inputs[6] <= inputs[0]) + 4 * uint(inputs[6] > inputs[0]) + 8 * uint(inputs[6] >= inputs[0]) + 16 * uint(inputs[6] == inputs[0]) + 32 * uint(inputs[6] != inputs[0]));
    put(1 * uint(inputs[6] < inputs[1]) + 2 * uint(inputs[6] <= inputs[1]) + 4 * uint(inputs[6] > inputs[1]) + 8 * uint(inputs[6] >= inputs[1]) + 16 * uint(inputs[6] == inputs[1]) + 32 * uint(inputs[6] != inputs[1]));
    put(1 * uint(inputs[6] < inputs[2]) + 2 * uint(inputs[6] <= inputs[2]) + 4 * uint(inputs[6] > inputs[2]) + 8 * uint(inputs[6] >= inputs[2]) + 16 * uint(inputs[6] == inputs[2]) + 32 * uint(inputs[6] != inputs[2]));
    put(1 * uint(inputs[6] < inputs[3]) + 2 * uint(inputs[6] <= inputs[3]) + 4 * uint(inputs[6] > inputs[3]) + 8 * uint(inputs[6] >= inputs[3]) + 16 * uint(inputs[6] == inputs[3]) + 32 * uint(inputs[6] != inputs[3]));
    put(1 * uint(inputs[6] < inputs[4]) + 2 * uint(inputs[6] <= inputs[4]) + 4 * uint(inputs[6] > inputs[4]) + 8 * uint(inputs[6] >= inputs[4]) + 16 * uint(inputs[6] == inputs[4]) + 32 * uint(inputs[6] != inputs[4]));
    put(1 * uint(inputs[6] < inputs[5]) + 2 * uint(inputs[6] <= inputs[5]) + 4 * uint(inputs[6] > inputs[5]) + 8 * uint(inputs[6] >= inputs[5]) + 16 * uint(inputs[6] == inputs[5]) + 32 * uint(inputs[6] != inputs[5]));
    put(1 * uint(inputs[6] < inputs[6]) + 2 * uint(inputs[6] <= inputs[6]) + 4 * uint(inputs[6] > inputs[6]) + 8 * uint(inputs[6] >= inputs[6]) + 16 * uint(inputs[6] == inputs[6]) + 32 * uint(inputs[6] != inputs[6]));
    put(isnan(inputs[0]));
    put(isinf(inputs[0]));
    put(isnan(inputs[1]));
    put(isinf(inputs[1]));
    put(isnan(inputs[2]));
    put(isinf(inputs[2]));
    put(isnan(inputs[3]));
    put(isinf(inputs[3]));
    put(isnan(inputs[4]));
    put(isinf(inputs[4]));
    put(isnan(inputs[5]));
    put(isinf(inputs[5]));
    put(isnan(inputs[6]));
    put(isinf(inputs[6]));
}
