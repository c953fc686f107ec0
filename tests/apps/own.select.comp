// SPDX-License-Identifier: Apache-2.0
// glslang compiles `c ? x : y` with matrices to one OpSelect, which spirv-val refuses in the input. The
// result must be valid anyway.
#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Data { float16_t data[]; };
layout(push_constant) uniform Push { uint n; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> x, y;
    coopMatLoad(x, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, data, 256, 16, gl_CooperativeMatrixLayoutColumnMajor);
    coopMatStore(n > 3 ? x : y, data, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
}
