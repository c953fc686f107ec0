// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers and cooperative matrices of them (SPV_INTEL_int4) for GLSL, declared with
// GL_EXT_spirv_intrinsics. For devices with VK_COOPVK_shader_int4 (vulkan_coopvk.h).
//
// Values
//   coopvk_u4, coopvk_s4, coopvk_u4x2 ... coopvk_s4x8      types of variables, parameters, results
//   coopvkU4x8(uint), coopvkS4x8(uint), coopvkBits...      eight components from 32 bits, and back
//   coopvkComponentU4x8(v, I), coopvkComponentS4x8(v, I)   one component; I is a literal
//   coopvkElementU4x8(v, i), coopvkElementS4x8(v, i)       one component; i is any uint
//   coopvkU4(uint), coopvkS4(int), coopvkToUint(u4), coopvkToInt(s4)
//   coopvkPairU4(a, b), coopvkPairS4(a, b)                 two components, a in the lower bits
//
// Matrices, with Rows, Columns and Use constants that have a name (const uint kRows = 16u;)
//   COOPVK_U4_MATRIX(Rows, Columns, Use)      a type; Use is one of coopvkUseA, coopvkUseB
//   COOPVK_S4_MATRIX(Rows, Columns, Use)
//   COOPVK_INT4_MATRIX_FUNCTIONS(name, Matrix, Pointee)
//       declares  Matrix nameLoad(pointee, layout, stride)
//                 void nameStore(pointee, matrix, layout, stride)
//       and for memory that other invocations of the workgroup write or read (shared memory)
//                 Matrix nameLoad(pointee, layout, stride, coopvkVisible, coopvkWorkgroup)
//                 void nameStore(pointee, matrix, layout, stride, coopvkAvailable, coopvkWorkgroup)
//       which need the Vulkan memory model (#pragma use_vulkan_memory_model)
//       pointee: the buffer's element at which the matrix starts, with two components in a byte;
//       layout: coopvkRowMajor or coopvkColumnMajor; stride: the distance between rows (columns),
//       in pointees
//   COOPVK_INT4_MULTIPLY_ADD(name, A, B, C)
//       declares  C name(A a, B b, C c, SIGNS), the product a x b + c; one of A and B may also be a
//       coopmat of 8-bit components, C is a coopmat of 32-bit ones. SIGNS is a literal: the sum of
//       1u (A is signed), 2u (B is signed) and 12u (C and the result are signed)
//
// There are many names, since glslang does not overload functions by parameters of such types. GLSL
// cannot express the following, only SPIR-V can: literals and specialization constants of 4-bit types,
// 4-bit vectors as members of buffer blocks (load the integer and use coopvkU4x8), and access to
// single elements of a matrix of 4-bit components.
#ifndef COOPVK_INT4_GLSL_
#define COOPVK_INT4_GLSL_

#extension GL_EXT_spirv_intrinsics : require

#define coopvk_u4 \
    spirv_type(extensions = ["SPV_INTEL_int4"], capabilities = [5112], id = 21, 4, 0)
#define coopvk_s4 \
    spirv_type(extensions = ["SPV_INTEL_int4"], capabilities = [5112], id = 21, 4, 1)
#define coopvk_u4x2 spirv_type(id = 23, coopvk_u4, 2)
#define coopvk_s4x2 spirv_type(id = 23, coopvk_s4, 2)
#define coopvk_u4x4 spirv_type(id = 23, coopvk_u4, 4)
#define coopvk_s4x4 spirv_type(id = 23, coopvk_s4, 4)
// Vectors of eight need the capability Vector16.
#define coopvk_u4x8 spirv_type(capabilities = [7], id = 23, coopvk_u4, 8)
#define coopvk_s4x8 spirv_type(capabilities = [7], id = 23, coopvk_s4, 8)

// OpBitcast
spirv_instruction(id = 124) coopvk_u4x8 coopvkU4x8(uint bits);
spirv_instruction(id = 124) coopvk_s4x8 coopvkS4x8(uint bits);
spirv_instruction(id = 124) uint coopvkBitsU4x8(coopvk_u4x8 vector);
spirv_instruction(id = 124) uint coopvkBitsS4x8(coopvk_s4x8 vector);

// OpCompositeExtract, OpVectorExtractDynamic, OpCompositeConstruct
spirv_instruction(id = 81)
coopvk_u4 coopvkComponentU4x8(coopvk_u4x8 vector, spirv_literal uint index);
spirv_instruction(id = 81)
coopvk_s4 coopvkComponentS4x8(coopvk_s4x8 vector, spirv_literal uint index);
spirv_instruction(id = 77) coopvk_u4 coopvkElementU4x8(coopvk_u4x8 vector, uint index);
spirv_instruction(id = 77) coopvk_s4 coopvkElementS4x8(coopvk_s4x8 vector, uint index);
spirv_instruction(id = 80) coopvk_u4x2 coopvkPairU4(coopvk_u4 low, coopvk_u4 high);
spirv_instruction(id = 80) coopvk_s4x2 coopvkPairS4(coopvk_s4 low, coopvk_s4 high);

// OpUConvert, OpSConvert
spirv_instruction(id = 113) coopvk_u4 coopvkU4(uint value);
spirv_instruction(id = 114) coopvk_s4 coopvkS4(int value);
spirv_instruction(id = 113) uint coopvkToUint(coopvk_u4 value);
spirv_instruction(id = 114) int coopvkToInt(coopvk_s4 value);

const uint coopvkUseA = 0u;
const uint coopvkUseB = 1u;
const uint coopvkRowMajor = 0u;
const uint coopvkColumnMajor = 1u;
const uint coopvkScopeSubgroup_ = 3u;
const uint coopvkWorkgroup = 2u;  // a scope
#define coopvkVisible 48u         // the memory operands MakePointerVisible and NonPrivatePointer
#define coopvkAvailable 40u       // MakePointerAvailable and NonPrivatePointer

#define COOPVK_INT4_MATRIX_(Component, Rows, Columns, Use)                                     \
    spirv_type(extensions = ["SPV_KHR_cooperative_matrix", "SPV_INTEL_int4"],                  \
               capabilities = [5114, 6022], id = 4456, Component, coopvkScopeSubgroup_, Rows, \
               Columns, Use)
#define COOPVK_U4_MATRIX(Rows, Columns, Use) COOPVK_INT4_MATRIX_(coopvk_u4, Rows, Columns, Use)
#define COOPVK_S4_MATRIX(Rows, Columns, Use) COOPVK_INT4_MATRIX_(coopvk_s4, Rows, Columns, Use)

// OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR, OpCooperativeMatrixMulAddKHR
#define COOPVK_INT4_MATRIX_FUNCTIONS(name, Matrix, Pointee)                              \
    spirv_instruction(id = 4457)                                                         \
    Matrix name##Load(spirv_by_reference Pointee first, uint matrixLayout, uint stride); \
    spirv_instruction(id = 4457)                                                         \
    Matrix name##Load(spirv_by_reference Pointee first, uint matrixLayout, uint stride,  \
                      spirv_literal uint access, uint scope);                            \
    spirv_instruction(id = 4458)                                                         \
    void name##Store(spirv_by_reference Pointee first, Matrix matrix, uint matrixLayout, \
                     uint stride);                                                       \
    spirv_instruction(id = 4458)                                                         \
    void name##Store(spirv_by_reference Pointee first, Matrix matrix, uint matrixLayout, \
                     uint stride, spirv_literal uint access, uint scope);
#define COOPVK_INT4_MULTIPLY_ADD(name, A, B, C) \
    spirv_instruction(id = 4459) C name(A a, B b, C c, spirv_literal uint signs);

#endif  // COOPVK_INT4_GLSL_
