// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer In { uint inputs[]; };
layout(set = 0, binding = 1) buffer Out { uint outputs[]; };

void main() {
    coopmat<uint, gl_ScopeSubgroup, 4, 2, gl_MatrixUseA> all =
        coopmat<uint, gl_ScopeSubgroup, 4, 2, gl_MatrixUseA>(inputs[1] + 1);
    coopMatStore(all * inputs[0], outputs, 0, 2, gl_CooperativeMatrixLayoutRowMajor);
}
