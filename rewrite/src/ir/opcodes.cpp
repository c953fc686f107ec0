// SPDX-License-Identifier: Apache-2.0
#include "ir/opcodes.hpp"

#include <spirv-tools/libspirv.h>

#include <algorithm>

namespace coopvk::rewrite {

std::string nameOf(spv::Op opcode) {
    const auto number = static_cast<uint32_t>(opcode);
    const std::string_view name = spvOpcodeString(number);
    return name == "unknown" ? "with opcode " + std::to_string(number) : std::string(name);
}

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

bool movesBits(const Module& module, const Instruction& i) {
    return movesValues(i.opcode) || isAccessChain(i.opcode) || isUntypedChain(i.opcode) ||
           isUntypedPtrChain(i.opcode) || isNonSemantic(module, i) ||
           isOneOf(i.opcode,
                   {OpUntypedVariableKHR, OpCopyMemory, OpCopyMemorySized, OpPtrAccessChain,
                    OpInBoundsPtrAccessChain, OpArrayLength, OpUntypedArrayLengthKHR,
                    OpVectorExtractDynamic, OpVectorInsertDynamic, OpVectorShuffle});
}

bool isArithmetic(spv::Op opcode) {
    return std::ranges::find(kArithmetic, opcode) != std::end(kArithmetic);
}

bool isRemainder(spv::Op opcode) {
    return std::ranges::find(kRemainders, opcode) != std::end(kRemainders);
}

bool isConversion(spv::Op opcode) {
    return std::ranges::find(kConversions, opcode) != std::end(kConversions);
}

bool isAtomic(spv::Op opcode) {
    return (opcode >= OpAtomicLoad && opcode <= OpAtomicXor) ||
           isOneOf(opcode, {OpAtomicFAddEXT, OpAtomicFMinEXT, OpAtomicFMaxEXT});
}

bool usesWholeMatrix(spv::Op opcode) {
    return isOneOf(opcode, {OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                            OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixLoadNV,
                            OpCooperativeMatrixStoreNV, OpCooperativeMatrixMulAddNV,
                            OpCooperativeMatrixLoadTensorNV, OpCooperativeMatrixStoreTensorNV,
                            OpCooperativeMatrixReduceNV, OpCooperativeMatrixConvertNV,
                            OpCooperativeMatrixTransposeNV, OpCooperativeMatrixPerElementOpNV,
                            OpCompositeConstructCoopMatQCOM, OpCompositeExtractCoopMatQCOM});
}

bool isNonSemantic(const Module& module, const Instruction& instruction) {
    if (!isExtInst(instruction.opcode)) return false;
    static constexpr std::string_view kPrefix = "NonSemantic.";
    const Operands& name = module.def(instruction.word(0)).operands;
    for (size_t i = 0; i < kPrefix.size(); ++i) {
        const uint32_t word = i / 4 < name.size() ? name[i / 4].word : 0;
        if (static_cast<char>(word >> 8 * (i % 4)) != kPrefix[i]) return false;
    }
    return true;
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
    // Most are not, and modules have many instructions.
    const bool isOfCore = opcode >= OpBranch && opcode <= OpUnreachable;
    return isOfCore || (opcode >= OpTerminateInvocation &&
                        isOneOf(opcode, {OpTerminateInvocation, OpIgnoreIntersectionKHR,
                                         OpTerminateRayKHR, OpEmitMeshTasksEXT, OpAbortKHR}));
}

Section sectionOf(spv::Op opcode) {
    switch (opcode) {
        case OpCapability:
        case OpConditionalCapabilityINTEL:
            return Section::kCapabilities;
        case OpExtension:
        case OpConditionalExtensionINTEL:
            return Section::kExtensions;
        case OpExtInstImport:
            return Section::kExtInstImports;
        case OpMemoryModel:
        case OpSamplerImageAddressingModeNV:
            return Section::kMemoryModel;
        case OpEntryPoint:
        case OpConditionalEntryPointINTEL:
            return Section::kEntryPoints;
        case OpExecutionMode:
        case OpExecutionModeId:
            return Section::kExecutionModes;
        case OpSource:
        case OpSourceContinued:
        case OpSourceExtension:
        case OpName:
        case OpMemberName:
        case OpString:
        case OpModuleProcessed:
            return Section::kDebug;
        case OpDecorate:
        case OpMemberDecorate:
        case OpDecorationGroup:
        case OpGroupDecorate:
        case OpGroupMemberDecorate:
        case OpDecorateId:
        case OpDecorateString:
        case OpMemberDecorateString:
            return Section::kAnnotations;
        default:
            return Section::kGlobals;
    }
}

bool isDeclaration(const Instruction& i) {
    return (i.result != 0 && i.type == 0) ||
           (i.opcode >= OpConstantTrue && i.opcode <= OpSpecConstantOp) ||
           i.opcode == OpConstantCompositeReplicateEXT ||
           i.opcode == OpSpecConstantCompositeReplicateEXT;
}

bool isAccessChain(spv::Op opcode) {
    return opcode == OpAccessChain || opcode == OpInBoundsAccessChain;
}

bool isUntypedChain(spv::Op opcode) {
    return opcode == OpUntypedAccessChainKHR || opcode == OpUntypedInBoundsAccessChainKHR;
}

bool isUntypedPtrChain(spv::Op opcode) {
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
        case OpUntypedPtrAccessChainKHR:
        case OpUntypedInBoundsPtrAccessChainKHR:
            return 3;
        default:
            return 0;
    }
}

}  // namespace coopvk::rewrite
