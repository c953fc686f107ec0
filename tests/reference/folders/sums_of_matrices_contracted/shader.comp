// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer In { float inputs[]; };
layout(set = 0, binding = 1) buffer Out { float outputs[]; };

void main() {
    coopmat<float, gl_ScopeSubgroup, 2, 2, gl_MatrixUseAccumulator> a, b;
    coopMatLoad(a, inputs, 0, 2, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, inputs, 4, 2, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(b + a * a, outputs, 0, 2, gl_CooperativeMatrixLayoutRowMajor);
}
