// SPDX-License-Identifier: Apache-2.0
//
// Kinds of opcodes that several passes tell apart.
#pragma once

#include <array>
#include <string>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// What some SPIR-V headers that coopvk builds with do not have yet.

// Of SPV_KHR_poison_freeze.
inline constexpr auto kOpPoison = static_cast<spv::Op>(5158);
inline constexpr auto kOpFreeze = static_cast<spv::Op>(5159);
// Of SPV_EXT_long_vector.
inline constexpr auto kLongVector = static_cast<spv::Capability>(5425);
// Of SPV_EXT_cooperative_matrix_maintenance1 and SPV_NV_cooperative_matrix_decode_vector.
inline constexpr auto kMatrixConversions = static_cast<spv::Capability>(5429);
inline constexpr auto kMatrixGetCoordinate = static_cast<spv::Capability>(5438);
inline constexpr auto kMatrixDecodeVector = static_cast<spv::Capability>(5447);
// Of SPV_EXT_split_barrier.
inline constexpr auto kSplitBarrier = static_cast<spv::Capability>(6141);
// Of SPV_EXT_ocp_microscaling_types.
inline constexpr auto kFloat6 = static_cast<spv::Capability>(4228);
inline constexpr auto kFloat4 = static_cast<spv::Capability>(4229);
inline constexpr auto kUnsignedE8M0 = static_cast<spv::Capability>(4230);
inline constexpr auto kMxInt8Type = static_cast<spv::Capability>(4231);
inline constexpr auto kBitcastExtract = static_cast<spv::Capability>(4232);
inline constexpr auto kFloat6E2M3 = static_cast<spv::FPEncoding>(4223);
inline constexpr auto kFloat6E3M2 = static_cast<spv::FPEncoding>(4224);
inline constexpr auto kFloat4E2M1 = static_cast<spv::FPEncoding>(4225);
inline constexpr auto kFloat8E8M0 = static_cast<spv::FPEncoding>(4226);
inline constexpr auto kMxInt8 = static_cast<spv::FPEncoding>(4227);
inline constexpr auto kOpBitcastExtract = static_cast<spv::Op>(4195);
// Of SPV_VALVE_mixed_float_dot_product.
inline constexpr auto kDotHalvesToSingle = static_cast<spv::Capability>(6912);
inline constexpr auto kDotHalvesToHalf = static_cast<spv::Capability>(6913);
inline constexpr auto kDotBfloat16 = static_cast<spv::Capability>(6914);
inline constexpr auto kDotFloat8 = static_cast<spv::Capability>(6915);
inline constexpr auto kOpDot2Sum32 = static_cast<spv::Op>(6916);  // OpFDot2MixAcc32VALVE
inline constexpr auto kOpDot2Sum16 = static_cast<spv::Op>(6917);  // OpFDot2MixAcc16VALVE
inline constexpr auto kOpDot4Sum32 = static_cast<spv::Op>(6918);  // OpFDot4MixAcc32VALVE

// Of SPV_EXT_float8: conversions to the largest number in place of infinity.
inline constexpr auto kSaturated = spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT;

// Whether a format is one of SPV_EXT_ocp_microscaling_types.
inline constexpr bool isMicroscaled(std::optional<spv::FPEncoding> encoding) {
    return encoding && *encoding >= kFloat6E2M3 && *encoding <= kMxInt8;
}

// For messages: "CooperativeMatrixMulAddKHR", or "with opcode 4456" where SPIRV-Tools does not know
// it. Follows the word "instruction".
std::string nameOf(spv::Op opcode);

// Whether an instruction gives no particular value: OpUndef and OpPoisonKHR.
bool hasNoValue(spv::Op opcode);

// Whether an instruction only moves values. When a pass redefines a type, such instructions on
// values of it stay valid unchanged.
bool movesValues(spv::Op opcode);

// The same for values of formats that only few instructions take, wherever they are: also pointers
// to them, and their components.
bool movesBits(const Module& module, const Instruction& i);

// Instructions that apply to each component of a matrix or vector: arithmetic on operands of the
// result's type, and conversions of one operand.
inline constexpr spv::Op kArithmetic[] = {OpSNegate, OpFNegate, OpIAdd, OpFAdd, OpISub, OpFSub,
                                          OpFMul,    OpIMul,    OpFDiv, OpSDiv, OpUDiv};
inline constexpr spv::Op kConversions[] = {OpConvertFToU, OpConvertFToS, OpConvertSToF,
                                           OpConvertUToF, OpUConvert,    OpSConvert,
                                           OpFConvert,    OpBitcast};
// Arithmetic, too, that SPIR-V does not allow on cooperative types: the driver's own matrices have
// none of it.
inline constexpr spv::Op kRemainders[] = {OpUMod, OpSRem, OpSMod, OpFRem, OpFMod};
bool isArithmetic(spv::Op opcode);
bool isRemainder(spv::Op opcode);
bool isConversion(spv::Op opcode);
// Atomic operations that Vulkan has: their first operand is a pointer, the next one a scope.
bool isAtomic(spv::Op opcode);
// Operations of all invocations of a cooperative matrix's scope, which must reach them together.
bool usesWholeMatrix(spv::Op opcode);

// Cooperative Matrix Operands that say whether components of A, B, C and the result are signed.
inline constexpr std::array kSignedMatrices = {
    spv::CooperativeMatrixOperandsMask::MatrixASignedComponentsKHR,
    spv::CooperativeMatrixOperandsMask::MatrixBSignedComponentsKHR,
    spv::CooperativeMatrixOperandsMask::MatrixCSignedComponentsKHR,
    spv::CooperativeMatrixOperandsMask::MatrixResultSignedComponentsKHR};
// Whether an OpCooperativeMatrixMulAddKHR has one of Cooperative Matrix Operands.
inline bool hasOperand(const Instruction& mulAdd, spv::CooperativeMatrixOperandsMask one) {
    return (mulAdd.word(3) & static_cast<uint32_t>(one)) != 0;
}
inline bool saturates(const Instruction& mulAdd) {
    return hasOperand(mulAdd, spv::CooperativeMatrixOperandsMask::SaturatingAccumulationKHR);
}

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

// The section of an instruction outside functions; kGlobals if it belongs to no other section.
Section sectionOf(spv::Op opcode);

// Whether an instruction declares a type or a constant, which only module scope may have. Other
// instructions with a result have a result type.
bool isDeclaration(const Instruction& i);

// All access chains of typed pointers: those below, and those with an Element operand.
inline constexpr spv::Op kTypedChains[] = {OpAccessChain, OpInBoundsAccessChain, OpPtrAccessChain,
                                           OpInBoundsPtrAccessChain};

// OpAccessChain and OpInBoundsAccessChain.
bool isAccessChain(spv::Op opcode);
// OpUntypedAccessChainKHR and OpUntypedInBoundsAccessChainKHR, which name the type themselves.
bool isUntypedChain(spv::Op opcode);
// OpUntypedPtrAccessChainKHR and OpUntypedInBoundsPtrAccessChainKHR, which have an Element operand.
bool isUntypedPtrChain(spv::Op opcode);

// The number of the operand that is the first of an access chain's Indexes, after Base and Element;
// 0 for other opcodes.
size_t firstChainIndex(spv::Op opcode);
// Whether an access chain names the type itself that its indices select from.
inline bool namesChainType(spv::Op opcode) {
    return isUntypedChain(opcode) || isUntypedPtrChain(opcode);
}
// The operand Base of an access chain.
inline Id chainBase(const Instruction& chain) {
    return chain.word(namesChainType(chain.opcode) ? 1 : 0);
}

}  // namespace coopvk::rewrite
