// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_memory_scope_semantics : enable
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

uint twice(const in uint row, const in uint column, const in uint value) { return 2 * value; }

void main() {
    const uint i = gl_LocalInvocationIndex;
    if (inputs[i] != 0) outputs[i] += 1;
    coopmat<uint, gl_ScopeSubgroup, 4, 4, gl_MatrixUseAccumulator> m =
        coopmat<uint, gl_ScopeSubgroup, 4, 4, gl_MatrixUseAccumulator>(21);
    coopMatPerElementNV(m, m, twice);
    outputs[i] += 16;
    barrier();
    outputs[8 + i] = m[0];
}
