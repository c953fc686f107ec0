// Several values of one type of A: some only multiplied, others changed element by element.
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

void main() {
    A plain, next, scaled;
    B b;
    C sum = C(0.0);
    coopMatLoad(plain, src, 0, 16, ROW);
    coopMatLoad(scaled, src, 512, 16, ROW);
    coopMatLoad(b, src, 256, 16, ROW);
    for (int i = 0; i < scaled.length(); ++i) scaled[i] *= float16_t(2);
    for (uint s = 0; s < steps; ++s) {
        coopMatLoad(next, src, 768 + 256 * s, stride, COLUMN);
        sum = coopMatMulAdd(plain, b, sum);
        sum = coopMatMulAdd(scaled, b, sum);
        if (s == 2) next = A(float16_t(0));
        plain = next;
    }
    coopMatStore(sum, dst, 0, 16, ROW);
}
