// SPDX-License-Identifier: Apache-2.0
#include "ir/opcodes.hpp"

#include <algorithm>

namespace coopvk::rewrite {

bool hasNoValue(spv::Op opcode) { return opcode == OpUndef || opcode == kOpPoison; }

bool movesValues(spv::Op opcode) {
    switch (opcode) {
        case OpUndef:
        case kOpPoison:
        case OpLoad:
        case OpStore:
        case OpCopyObject:
        case OpCopyLogical:
        case OpPhi:
        case OpSelect:
        case kOpFreeze:
        case OpVariable:
        case OpFunctionCall:
        case OpReturnValue:
        case OpCompositeConstruct:
        case OpCompositeConstructReplicateEXT:
        case OpCompositeExtract:
        case OpCompositeInsert:
            return true;
        default:
            return false;
    }
}

bool isArithmetic(spv::Op opcode) {
    return std::ranges::find(kArithmetic, opcode) != std::end(kArithmetic);
}

bool isConversion(spv::Op opcode) {
    return std::ranges::find(kConversions, opcode) != std::end(kConversions);
}

bool isNonSemantic(const Module& module, const Instruction& instruction) {
    return isExtInst(instruction.opcode) &&
           stringFromOperands(module.def(instruction.word(0)), 0).starts_with("NonSemantic.");
}

bool isExtInst(spv::Op opcode) {
    return opcode == OpExtInst || opcode == OpExtInstWithForwardRefsKHR;
}

bool isArrayType(spv::Op opcode) { return opcode == OpTypeArray || opcode == OpTypeRuntimeArray; }

bool isPointerType(spv::Op opcode) {
    return opcode == OpTypePointer || opcode == OpTypeUntypedPointerKHR;
}

bool isVariable(spv::Op opcode) { return opcode == OpVariable || opcode == OpUntypedVariableKHR; }

bool isDebugLine(spv::Op opcode) { return opcode == OpLine || opcode == OpNoLine; }

bool isTerminator(spv::Op opcode) {
    return isOneOf(opcode, {OpBranch, OpBranchConditional, OpSwitch, OpReturn, OpReturnValue,
                            OpKill, OpUnreachable, OpTerminateInvocation, OpIgnoreIntersectionKHR,
                            OpTerminateRayKHR, OpEmitMeshTasksEXT, OpAbortKHR});
}

bool isPure(spv::Op opcode) {
    constexpr std::pair<spv::Op, spv::Op> kRanges[] = {
        {OpVectorExtractDynamic, OpTranspose}, {OpConvertFToU, OpBitcast},
        {OpSNegate, OpSMulExtended},           {OpAny, OpFUnordGreaterThanEqual},
        {OpShiftRightLogical, OpBitCount},     {OpPhi, OpBranchConditional},
    };
    return std::ranges::any_of(kRanges,
                               [&](const auto& range) {
                                   return opcode >= range.first && opcode <= range.second;
                               }) ||
           hasNoValue(opcode) ||
           isOneOf(opcode, {OpNop, OpLine, OpNoLine, OpReturn, OpReturnValue, kOpFreeze,
                            OpInBoundsAccessChain, OpAccessChain, OpVariable, OpUnreachable});
}

Section sectionOf(spv::Op opcode) {
    constexpr std::pair<spv::Op, Section> kSections[] = {
        {OpCapability, Section::kCapabilities},
        {OpConditionalCapabilityINTEL, Section::kCapabilities},
        {OpExtension, Section::kExtensions},
        {OpConditionalExtensionINTEL, Section::kExtensions},
        {OpExtInstImport, Section::kExtInstImports},
        {OpMemoryModel, Section::kMemoryModel},
        {OpSamplerImageAddressingModeNV, Section::kMemoryModel},
        {OpEntryPoint, Section::kEntryPoints},
        {OpConditionalEntryPointINTEL, Section::kEntryPoints},
        {OpExecutionMode, Section::kExecutionModes},
        {OpExecutionModeId, Section::kExecutionModes},
        {OpSource, Section::kDebug},
        {OpSourceContinued, Section::kDebug},
        {OpSourceExtension, Section::kDebug},
        {OpName, Section::kDebug},
        {OpMemberName, Section::kDebug},
        {OpString, Section::kDebug},
        {OpModuleProcessed, Section::kDebug},
        {OpDecorate, Section::kAnnotations},
        {OpMemberDecorate, Section::kAnnotations},
        {OpDecorationGroup, Section::kAnnotations},
        {OpGroupDecorate, Section::kAnnotations},
        {OpGroupMemberDecorate, Section::kAnnotations},
        {OpDecorateId, Section::kAnnotations},
        {OpDecorateString, Section::kAnnotations},
        {OpMemberDecorateString, Section::kAnnotations}};
    for (const auto& [known, section] : kSections) {
        if (known == opcode) return section;
    }
    return Section::kGlobals;
}

bool isDeclaration(const Instruction& i) {
    return (i.result != 0 && i.type == 0) ||
           isOneOf(i.opcode,
                   {OpConstantTrue, OpConstantFalse, OpConstant, OpConstantComposite,
                    OpConstantSampler, OpConstantNull, OpSpecConstantTrue, OpSpecConstantFalse,
                    OpSpecConstant, OpSpecConstantComposite, OpSpecConstantOp,
                    OpConstantCompositeReplicateEXT, OpSpecConstantCompositeReplicateEXT});
}

bool isAccessChain(spv::Op opcode) {
    return opcode == OpAccessChain || opcode == OpInBoundsAccessChain;
}

bool isUntypedChain(spv::Op opcode) {
    return opcode == OpUntypedAccessChainKHR || opcode == OpUntypedInBoundsAccessChainKHR;
}

bool isUntypedStep(spv::Op opcode) {
    return opcode == OpUntypedPtrAccessChainKHR || opcode == OpUntypedInBoundsPtrAccessChainKHR;
}

size_t firstChainIndex(spv::Op opcode) {
    switch (opcode) {
        case OpAccessChain:
        case OpInBoundsAccessChain:
            return 1;
        case OpPtrAccessChain:
        case OpInBoundsPtrAccessChain:
        case OpUntypedAccessChainKHR:
        case OpUntypedInBoundsAccessChainKHR:
            return 2;
        default:
            return 0;
    }
}

}  // namespace coopvk::rewrite
