// Matrices change in a switch whose cases fall through, inside a loop.
// test: subgroup
// test: buffers f16:4096 random:1024
// test: push 7 16
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
    C sum = C(0.0);
    A a; B b;
    coopMatLoad(b, src, 0, 16, ROW);
    coopMatLoad(a, src, 256, 16, ROW);
    for (uint step = 0; step < steps; ++step) {
        switch (step % 4) {
            case 0: coopMatLoad(a, src, step * 256, 16, ROW);
            case 1: sum = coopMatMulAdd(a, b, sum); break;
            case 2: coopMatLoad(b, src, step * 64, 16, ROW); break;
            default: sum = -sum;
        }
    }
    coopMatStore(sum, dst, 0, 16, ROW);
}
