// Matrices in shared memory of vectors of four words, filled in a loop that ends with its condition.
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
layout(binding = 0) readonly buffer Source { uvec4 words[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define A coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define C coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

shared uvec4 staged[2][32];
void main() {
    C sum = C(0.0);
    uint step = 0;
    do {
        for (uint i = gl_LocalInvocationIndex; i < 64; i += gl_WorkGroupSize.x)
            staged[i / 32][i % 32] = words[step * 32 + i];
        barrier();
        A a; B b;
        coopMatLoad(a, staged[0], 0, 2, ROW);
        coopMatLoad(b, staged[1], 0, 2, ROW);
        sum = coopMatMulAdd(a, b, sum);
        barrier();
    } while (++step < steps);
    coopMatStore(sum, dst, 0, 16, ROW);
}
