// Products of bytes whose sums become bytes again, in a loop that ends with its condition.
// test: subgroup
// test: buffers random:1024 random:1024
// test: push 3 16
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { int8_t src[]; };
layout(binding = 1) buffer Result { int dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
#define A coopmat<int8_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define B coopmat<int8_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define C coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

#define N coopmat<int8_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
void main() {
    A a; B b;
    C sum = C(0);
    coopMatLoad(a, src, 0, 16, ROW);
    uint step = 0;
    do {
        coopMatLoad(b, src, step * 256, 16, COLUMN);
        sum = coopMatMulAdd(a, b, sum);
        N narrow = N(sum);
        a = A(narrow);
        ++step;
    } while (step < steps);
    coopMatStore(sum, dst, 0, 16, ROW);
}
