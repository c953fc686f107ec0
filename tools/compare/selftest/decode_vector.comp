// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_NV_cooperative_matrix_decode_vector : require
layout(local_size_x_id = 0) in;  // one subgroup
layout(binding = 0, scalar) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

// A word in memory is a block of four elements.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Block { uint word; };
float decode(const in Block block, const in uint at[2], const in uint inBlock[2]) {
    return float(block.word * 4u + inBlock[1]);
}
vec4 decodeFour(const in Block block, const in uint at[2], const in uint inBlock[2]) {
    return vec4(block.word * 4u) + vec4(0.0, 1.0, 2.0, 3.0);
}

void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    tensorLayoutNV<2> layout_ = createTensorLayoutNV(2);
    layout_ = setTensorLayoutDimensionNV(layout_, 16u, 16u);
    layout_ = setTensorLayoutBlockSizeNV(layout_, 1u, 4u);
    coopMatLoadTensorNV(m, a, 0u, layout_, decode, decodeFour);
    coopMatStore(m, c, 0u, 16u, gl_CooperativeMatrixLayoutRowMajor);
}
