// A reduction of neighbourhoods beside an array that leaves too little shared memory for the whole matrix where there
// are 32 KiB, so that it goes through it in parts; and one of f16.
// test: subgroup
// test: buffers f32:512 random:128 random:64 random:64
// test: push 7 16
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) buffer Halves { float16_t halves[]; };
layout(binding = 3) buffer Sums { float sums[]; };
layout(push_constant) uniform Push { uint step, stride; };
#define C(T, ROWS, COLUMNS) coopmat<T, gl_ScopeSubgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;
shared float taken[7680];

float total(const in float x, const in float y) { return x + y; }
float16_t larger(const in float16_t x, const in float16_t y) { return max(x, y); }

void main() {
    for (uint i = gl_LocalInvocationIndex; i < 7680; i += gl_WorkGroupSize.x) taken[i] = float(i % step);
    barrier();
    C(float, 32, 16) m;
    coopMatLoad(m, src, 0, stride, ROW);
    C(float, 16, 8) quarter;
    coopMatReduceNV(quarter, m, gl_CooperativeMatrixReduce2x2NV, total);
    coopMatStore(quarter, dst, 0, 8, ROW);
    C(float16_t, 16, 8) largest;
    coopMatReduceNV(largest, C(float16_t, 32, 16)(m), gl_CooperativeMatrixReduce2x2NV, larger);
    coopMatStore(largest, halves, 0, 8, ROW);
    if (gl_LocalInvocationIndex == 0) {
        for (uint i = 0; i < 64; ++i) sums[i] = taken[i * 120];
    }
}
