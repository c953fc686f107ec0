// A product and stores of matrices of the workgroup in a loop that ends with its condition.
// test: buffers f16:8192 random:2048
// test: push 3 32
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define A coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseB>
#define C coopmat<float, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

void main() {
    C sum = C(0.0);
    uint step = 0;
    do {
        A a; B b;
        coopMatLoad(a, src, step * 1024, 32, ROW);
        coopMatLoad(b, src, step * 512, 32, COLUMN);
        sum = coopMatMulAdd(a, b, sum);
        if ((step & 1) == 0) coopMatStore(sum, dst, 1024, 32, COLUMN);
        barrier();
        ++step;
    } while (step < steps);
    coopMatStore(sum, dst, 0, 32, ROW);
}
