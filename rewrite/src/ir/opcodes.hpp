// SPDX-License-Identifier: Apache-2.0
//
// Kinds of instructions that several passes ask for.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Instructions that only move whole values: redefining the type of such a value is all they need.
bool movesValues(spv::Op opcode);

// What matrices and vectors take component by component: sums, differences, products, quotients and
// negatives of operands of the result's type; and conversions of one operand.
inline constexpr spv::Op kArithmetic[] = {spv::Op::OpSNegate, spv::Op::OpFNegate, spv::Op::OpIAdd,
                                          spv::Op::OpFAdd,    spv::Op::OpISub,    spv::Op::OpFSub,
                                          spv::Op::OpFMul,    spv::Op::OpIMul,    spv::Op::OpFDiv,
                                          spv::Op::OpSDiv,    spv::Op::OpUDiv};
inline constexpr spv::Op kConversions[] = {
    spv::Op::OpConvertFToU, spv::Op::OpConvertFToS, spv::Op::OpConvertSToF, spv::Op::OpConvertUToF,
    spv::Op::OpUConvert,    spv::Op::OpSConvert,    spv::Op::OpFConvert,    spv::Op::OpBitcast};
bool isArithmetic(spv::Op opcode);
bool isConversion(spv::Op opcode);

// Debug information names values and types and changes neither.
bool isNonSemantic(const Module& module, const Instruction& instruction);

// OpTypeArray and OpTypeRuntimeArray.
bool isArrayType(spv::Op opcode);

// OpTypePointer and OpTypeUntypedPointerKHR; OpVariable and OpUntypedVariableKHR.
bool isPointerType(spv::Op opcode);
bool isVariable(spv::Op opcode);

// OpLine and OpNoLine.
bool isDebugLine(spv::Op opcode);

// The last instruction of a block.
bool isTerminator(spv::Op opcode);

// Access chains of typed pointers.
inline constexpr spv::Op kAccessChains[] = {spv::Op::OpAccessChain, spv::Op::OpInBoundsAccessChain,
                                            spv::Op::OpPtrAccessChain,
                                            spv::Op::OpInBoundsPtrAccessChain};

// OpAccessChain and OpInBoundsAccessChain: their indices lead into what the base points to.
bool isAccessChain(spv::Op opcode);

// OpUntypedAccessChainKHR and OpUntypedInBoundsAccessChainKHR: what the base points to, they say.
bool isUntypedChain(spv::Op opcode);

// OpUntypedPtrAccessChainKHR and OpUntypedInBoundsPtrAccessChainKHR: their Element operand steps
// over whole objects of the type.
bool isUntypedStep(spv::Op opcode);

// Operand position of the first index into what the base of an access chain points to, behind the
// Element operand where there is one; 0 for anything but access chains.
size_t firstChainIndex(spv::Op opcode);

}  // namespace coopvk::rewrite
