// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer In { uint inputs[]; };
layout(set = 0, binding = 1) buffer Out { uint outputs[]; };

uint combined(const in uint row, const in uint column, const in uint element,
              const in uint factor, const in uint other) {
    return element * factor + other + row * 1000 + column * 100;
}

void main() {
    coopmat<uint, gl_ScopeSubgroup, 2, 4, gl_MatrixUseAccumulator> a, b, result;
    coopMatLoad(a, inputs, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, inputs, 4, 4, gl_CooperativeMatrixLayoutRowMajor);
    coopMatPerElementNV(result, a, combined, inputs[0], b);
    coopMatStore(result, outputs, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
}
