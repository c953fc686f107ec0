// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The types of cooperative vectors. OpTypeVectorIdEXT of SPV_EXT_long_vector has the same opcode:
// with LongVectorEXT, a type is cooperative if a cooperative-vector instruction takes or gives it,
// or a conversion from or to such a type.
std::set<Id> cooperativeVectorTypes(const Module& module);

// The instructions on them that compute each component alone, beside arithmetic and conversions:
// those of SPV_NV_cooperative_vector (3.42.11 to 3.42.14), and others that mean nothing else. Slang
// writes these, and drivers take them.
inline constexpr spv::Op kCooperativeElementWise[] = {OpShiftRightLogical,
                                                      OpShiftRightArithmetic,
                                                      OpShiftLeftLogical,
                                                      OpBitwiseOr,
                                                      OpBitwiseXor,
                                                      OpBitwiseAnd,
                                                      OpNot,
                                                      OpBitReverse,
                                                      OpBitCount,
                                                      OpVectorTimesScalar};
// Whether an instruction is one that cooperative vectors are lowered with.
bool isOfCooperativeVectors(const Instruction& i);

// Whether cooperative vectors are what only long vectors may be: operands or results of
// instructions such as comparisons, or in memory that has an explicit layout.
bool hasLongCooperativeVectors(const Module& module);

}  // namespace coopvk::rewrite
