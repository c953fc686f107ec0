// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require
layout(local_size_x_id = 0) in;  // one subgroup
layout(constant_id = 0) const uint kLanes = 16u;
const uint kRows = kLanes < 16u ? 8u : 16u;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

void main() {
    float row[kRows];
    for (uint i = 0u; i < kRows; ++i) row[i] = float(a[(gl_SubgroupInvocationID * kRows + i) % 256u]);
    coopmat<float, gl_ScopeSubgroup, kRows, kRows, gl_MatrixUseAccumulator> m;
    vectorToCoopmatQCOM(row, m);
    m = m + m;
    coopmatToVectorQCOM(m, row);
    if (gl_SubgroupInvocationID < kRows)
        for (uint i = 0u; i < kRows; ++i) c[gl_SubgroupInvocationID * kRows + i] = row[i];
}
