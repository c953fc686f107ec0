// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer In { uint64_t inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint64_t outputs[]; };

void main() {
    uint64_t x = inputs[gl_LocalInvocationIndex];
    atomicAdd(outputs[0], x);
    atomicMin(outputs[1], x);
    atomicMax(outputs[2], x);
    atomicAnd(outputs[3], x);
    atomicOr(outputs[4], x);
    atomicXor(outputs[5], x);
    if (gl_LocalInvocationIndex == 3) {
        uint64_t before = atomicExchange(outputs[6], x);
        outputs[7] = before;
        outputs[8] = atomicCompSwap(outputs[9], 0x100000002ul, x);
        outputs[10] = atomicCompSwap(outputs[11], 2ul, x);
    }
}
