// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
layout(constant_id = 0) const uint known = 0;
layout(constant_id = 1) const uint changesUse = 0;
layout(set = 0, binding = 1) buffer Out { float outputs[]; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 4, 4, gl_MatrixUseAccumulator> halves =
        coopmat<float16_t, gl_ScopeSubgroup, 4, 4, gl_MatrixUseAccumulator>(2.5hf);
    float16_t element;
    if (known == 1) element = 2.5hf;
    halves[1] = element;
    if (changesUse == 1)
        coopMatStore(coopmat<float, gl_ScopeSubgroup, 4, 4, gl_MatrixUseB>(halves), outputs, 0, 4,
                     gl_CooperativeMatrixLayoutRowMajor);
    else
        coopMatStore(coopmat<float, gl_ScopeSubgroup, 4, 4, gl_MatrixUseAccumulator>(halves), outputs, 0, 4,
                     gl_CooperativeMatrixLayoutRowMajor);
}
