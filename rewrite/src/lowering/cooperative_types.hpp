// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include <set>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The types of cooperative vectors. OpTypeVectorIdEXT of SPV_EXT_long_vector has the same opcode:
// with LongVectorEXT, a type is cooperative if a cooperative-vector instruction takes or gives it,
// or a conversion from or to such a type.
std::set<Id> cooperativeVectorTypes(const Module& module);

// The instructions on them that compute each component alone, beside arithmetic and conversions
// (SPV_NV_cooperative_vector, 3.42.11 to 3.42.14).
inline constexpr spv::Op kCooperativeElementWise[] = {OpShiftRightLogical,
                                                      OpShiftRightArithmetic,
                                                      OpShiftLeftLogical,
                                                      OpBitwiseOr,
                                                      OpBitwiseXor,
                                                      OpBitwiseAnd,
                                                      OpNot,
                                                      OpVectorTimesScalar};
inline constexpr GLSLstd450 kCooperativeExtended[] = {
    GLSLstd450FMin,   GLSLstd450UMin,   GLSLstd450SMin, GLSLstd450NMin,   GLSLstd450FMax,
    GLSLstd450UMax,   GLSLstd450SMax,   GLSLstd450NMax, GLSLstd450FClamp, GLSLstd450UClamp,
    GLSLstd450SClamp, GLSLstd450NClamp, GLSLstd450Step, GLSLstd450Exp,    GLSLstd450Log,
    GLSLstd450Tanh,   GLSLstd450Atan,   GLSLstd450Fma};
// Whether an instruction on cooperative vectors is one that the extension allows.
bool isOfCooperativeVectors(const Instruction& i);

}  // namespace coopvk::rewrite
