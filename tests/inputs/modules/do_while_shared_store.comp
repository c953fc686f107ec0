// A matrix of use A is stored to shared memory in a loop that ends with its condition.
// test: subgroup
// test: buffers f16:4096 random:1024
// test: push 5 16
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define A coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define C coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

shared float16_t staged[256];
void main() {
    A a;
    coopMatLoad(a, src, 0, 16, ROW);
    uint step = 0;
    do {
        coopMatStore(a, staged, 0, 16, COLUMN);
        barrier();
        coopMatLoad(a, staged, 0, 16, ROW);
        barrier();
    } while (++step < steps);
    if (gl_LocalInvocationIndex == 0)
        for (uint i = 0; i < 256; ++i) dst[i] = float(staged[i]);
}
