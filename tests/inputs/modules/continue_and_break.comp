// Products in a loop with continue and break, so that matrices meet in several phis.
// test: subgroup
// test: buffers f16:4096 random:1024
// test: push 9 16
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

void main() {
    C sum = C(1.0), last = C(0.0);
    for (uint step = 0; step < 64; ++step) {
        if ((step & 3) == 1) continue;
        A a; B b;
        coopMatLoad(a, src, step * 256, 16, ROW);
        coopMatLoad(b, src, step * 128, 16, COLUMN);
        last = sum;
        sum = coopMatMulAdd(a, b, sum);
        if (step >= steps) break;
    }
    coopMatStore(sum - last, dst, 0, 16, ROW);
    coopMatStore(last, dst, 256, 16, ROW);
}
