// Tensors whose elements are wider than what the buffer is an array of, one of them with clamped coordinates.
// test: subgroup
// test: needs VK_NV_cooperative_matrix2
// test: lanes 4 8 16 32
// test: buffers random:512 random:512 zero:1024
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Bytes { uint8_t bytes[]; };
layout(binding = 1) readonly buffer Halves { uint16_t halves[]; };
layout(binding = 2) buffer Result { uint16_t result[]; };
#define MATRIX coopmat<uint, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
void main() {
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layout0 = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    layout0 = setTensorLayoutDimensionNV(layout0, 16, 20);
    layout0 = setTensorLayoutClampValueNV(layout0, 0x12345678);
    tensorLayoutNV<2> to = createTensorLayoutNV(2);
    to = setTensorLayoutDimensionNV(to, 32, 16);
    MATRIX a, b;
    coopMatLoadTensorNV(a, bytes, 0, sliceTensorLayoutNV(layout0, 2, 16, 3, 16));
    coopMatLoadTensorNV(b, halves, 0, sliceTensorLayoutNV(layout0, 0, 16, 4, 16));
    coopMatStoreTensorNV(a, result, 0, sliceTensorLayoutNV(to, 0, 16, 0, 16));
    coopMatStoreTensorNV(b, result, 0, sliceTensorLayoutNV(to, 16, 16, 0, 16));
}
