// Tensor loads that go beyond the tensor, and a clamped store, in a loop that ends with its condition.
// test: subgroup
// test: buffers f16:4096 zero:1024
// test: push 3 20
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
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
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layoutA = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    layoutA = setTensorLayoutDimensionNV(layoutA, 40, stride);
    tensorLayoutNV<2> layoutC = createTensorLayoutNV(2);
    layoutC = setTensorLayoutDimensionNV(layoutC, 16, 16);
    C sum = C(0.0);
    uint step = 0;
    do {
        A a; B b;
        coopMatLoadTensorNV(a, src, 0, sliceTensorLayoutNV(layoutA, step * 8, 16, step * 4, 16));
        coopMatLoadTensorNV(b, src, 100, sliceTensorLayoutNV(layoutA, step * 16, 16, 8, 16));
        sum = coopMatMulAdd(a, b, sum);
        coopMatStoreTensorNV(sum, dst, step * 256, sliceTensorLayoutNV(layoutC, 0, 16, 0, 16));
        ++step;
    } while (step < steps);
}
