// Slices that begin before a tensor, in arrays of vectors: an index there is a sum with a negative term.
// test: subgroup
// test: needs VK_NV_cooperative_matrix2
// test: lanes 4 8 16 32
// test: buffers random:1024 zero:2048
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) buffer Result { uint result[]; };
shared uvec4 held[64];
#define MATRIX coopmat<uint, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
void main() {
    for (uint i = gl_LocalInvocationIndex; i < 64; i += gl_WorkGroupSize.x)
        held[i] = uvec4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
    barrier();
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> from = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    from = setTensorLayoutDimensionNV(from, 16, 16);
    from = setTensorLayoutClampValueNV(from, 0x12345678);
    tensorLayoutNV<2> to = createTensorLayoutNV(2);
    to = setTensorLayoutDimensionNV(to, 32, 16);
    MATRIX a, b;
    coopMatLoadTensorNV(a, held, 0, sliceTensorLayoutNV(from, -1, 16, -3, 16));
    coopMatLoadTensorNV(b, held, 0, sliceTensorLayoutNV(from, 2, 16, -4, 16));
    coopMatStoreTensorNV(a, result, 0, sliceTensorLayoutNV(to, 0, 16, 0, 16));
    coopMatStoreTensorNV(b, result, 0, sliceTensorLayoutNV(to, 16, 16, 0, 16));
}
