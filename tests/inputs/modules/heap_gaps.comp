// Matrices in buffers of a descriptor heap, in arrays whose elements have gaps between them.
// test: subgroup
// test: heap 2
// test: push 0 1
#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 128, local_size_x_id = 0) in;
layout(push_constant) uniform Push { uint from; uint to; } push;
layout(descriptor_heap, std140) buffer Floats { uint head; float f[]; } floats[];
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    coopMatLoad(m, floats[push.from].f, 4, 20, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, floats[push.to].f, 8, 16, gl_CooperativeMatrixLayoutColumnMajor);
}
