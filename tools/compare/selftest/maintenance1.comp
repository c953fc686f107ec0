// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_cooperative_matrix_maintenance1 : require
layout(local_size_x_id = 0) in;  // one subgroup
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

float twice(const in uint row, const in uint column, const in float element) {
    return 2.0 * element + float(row);
}
float sum(const in float x, const in float y) { return x + y; }

void main() {
    coopmat<uint, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> loaded;
    coopMatLoad(loaded, a, 0u, 16u, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m, rows, changed;
    m = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(loaded);
    for (uint i = 0u; i < m.length(); ++i) {
        uvec2 at = coopMatGetCoordinateEXT(m, i);
        m[i] += float(at.x * 16u + at.y);
    }
    coopMatPerElementEXT(changed, m, twice);
    coopMatReduceEXT(rows, changed, gl_CooperativeMatrixReduceRowEXT, sum);
    coopMatStore(rows, c, 0u, 16u, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(changed, c, 256u, 16u, gl_CooperativeMatrixLayoutRowMajor);
}
