// SPDX-License-Identifier: Apache-2.0
//
// Kinds of opcodes that several passes tell apart.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Of SPV_KHR_poison_freeze. Some SPIR-V headers that coopvk builds with do not have these yet.
inline constexpr auto kOpPoison = static_cast<spv::Op>(5158);
inline constexpr auto kOpFreeze = static_cast<spv::Op>(5159);
// Of SPV_EXT_long_vector; nor this one.
inline constexpr auto kLongVector = static_cast<spv::Capability>(5425);
// Of SPV_EXT_ocp_microscaling_types.
inline constexpr auto kFloat6E2M3 = static_cast<spv::FPEncoding>(4223);
inline constexpr auto kFloat6E3M2 = static_cast<spv::FPEncoding>(4224);
inline constexpr auto kFloat4E2M1 = static_cast<spv::FPEncoding>(4225);
inline constexpr auto kFloat8E8M0 = static_cast<spv::FPEncoding>(4226);
inline constexpr auto kMxInt8 = static_cast<spv::FPEncoding>(4227);
inline constexpr bool isMicroscaled(std::optional<spv::FPEncoding> encoding) {
    return encoding && *encoding >= kFloat6E2M3 && *encoding <= kMxInt8;
}
inline constexpr auto kOpBitcastExtract = static_cast<spv::Op>(4195);
// Of SPV_VALVE_mixed_float_dot_product.
inline constexpr auto kOpDot2Sum32 = static_cast<spv::Op>(6916);  // OpFDot2MixAcc32VALVE
inline constexpr auto kOpDot2Sum16 = static_cast<spv::Op>(6917);  // OpFDot2MixAcc16VALVE
inline constexpr auto kOpDot4Sum32 = static_cast<spv::Op>(6918);  // OpFDot4MixAcc32VALVE

// Whether an instruction gives no particular value: OpUndef and OpPoisonKHR.
bool hasNoValue(spv::Op opcode);

// Whether an instruction only moves values. When a pass redefines a type, such instructions on
// values of it stay valid unchanged.
bool movesValues(spv::Op opcode);

// Instructions that apply to each component of a matrix or vector: arithmetic on operands of the
// result's type, and conversions of one operand.
inline constexpr spv::Op kArithmetic[] = {OpSNegate, OpFNegate, OpIAdd, OpFAdd, OpISub, OpFSub,
                                          OpFMul,    OpIMul,    OpFDiv, OpSDiv, OpUDiv};
inline constexpr spv::Op kConversions[] = {OpConvertFToU, OpConvertFToS, OpConvertSToF,
                                           OpConvertUToF, OpUConvert,    OpSConvert,
                                           OpFConvert,    OpBitcast};
bool isArithmetic(spv::Op opcode);
bool isConversion(spv::Op opcode);

// Whether an instruction is of a non-semantic instruction set, such as debug information.
bool isNonSemantic(const Module& module, const Instruction& instruction);

// OpExtInst and OpExtInstWithForwardRefsKHR.
bool isExtInst(spv::Op opcode);
// OpTypeArray and OpTypeRuntimeArray.
bool isArrayType(spv::Op opcode);
// OpTypePointer and OpTypeUntypedPointerKHR.
bool isPointerType(spv::Op opcode);
// OpVariable and OpUntypedVariableKHR.
bool isVariable(spv::Op opcode);
// OpLine and OpNoLine.
bool isDebugLine(spv::Op opcode);
// Instructions that end a block.
bool isTerminator(spv::Op opcode);
// Whether an instruction only computes a value of its operands, or only directs control flow.
bool isPure(spv::Op opcode);

// The section of an instruction outside functions; kGlobals if it belongs to no other section.
Section sectionOf(spv::Op opcode);

// Whether an instruction declares a type or a constant, which only module scope may have. Other
// instructions with a result have a result type.
bool isDeclaration(const Instruction& i);

// Access chains of typed pointers.
inline constexpr spv::Op kAccessChains[] = {OpAccessChain, OpInBoundsAccessChain, OpPtrAccessChain,
                                            OpInBoundsPtrAccessChain};

// OpAccessChain and OpInBoundsAccessChain.
bool isAccessChain(spv::Op opcode);
// OpUntypedAccessChainKHR and OpUntypedInBoundsAccessChainKHR, which name the type themselves.
bool isUntypedChain(spv::Op opcode);
// OpUntypedPtrAccessChainKHR and OpUntypedInBoundsPtrAccessChainKHR, which have an Element operand.
bool isUntypedStep(spv::Op opcode);

// The number of the operand that is the first of an access chain's Indexes, after Base and Element;
// 0 for other opcodes.
size_t firstChainIndex(spv::Op opcode);
// The operand Base of an access chain.
inline Id chainBase(const Instruction& chain) {
    return chain.word(isUntypedChain(chain.opcode) ? 1 : 0);
}

}  // namespace coopvk::rewrite
