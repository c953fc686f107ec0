// Products of a workgroup's matrices of 32-bit integers, and of bytes of which one is signed.
// test: needs VK_NV_cooperative_matrix2
// test: buffers u32:2048 random:2048
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { int src[]; };
layout(binding = 1) buffer Result { int dst[]; };
const int ROW = gl_CooperativeMatrixLayoutRowMajor;

void main() {
    coopmat<int, gl_ScopeWorkgroup, 16, 32, gl_MatrixUseA> a;
    coopmat<int, gl_ScopeWorkgroup, 32, 16, gl_MatrixUseB> b;
    coopmat<int, gl_ScopeWorkgroup, 16, 16, gl_MatrixUseAccumulator> c;
    coopMatLoad(a, src, 0, 32, ROW);
    coopMatLoad(b, src, 512, 16, ROW);
    coopMatLoad(c, src, 1024, 16, ROW);
    coopMatStore(coopMatMulAdd(a, b, c), dst, 0, 16, ROW);
}
