// SPDX-License-Identifier: Apache-2.0
#include "ir/sections.hpp"

namespace coopvk::rewrite {

Section sectionOf(spv::Op opcode) {
    switch (opcode) {
        case spv::Op::OpCapability:
        case spv::Op::OpConditionalCapabilityINTEL:
            return Section::kCapabilities;
        case spv::Op::OpExtension:
        case spv::Op::OpConditionalExtensionINTEL:
            return Section::kExtensions;
        case spv::Op::OpExtInstImport:
            return Section::kExtInstImports;
        case spv::Op::OpMemoryModel:
        case spv::Op::OpSamplerImageAddressingModeNV:
            return Section::kMemoryModel;
        case spv::Op::OpEntryPoint:
        case spv::Op::OpConditionalEntryPointINTEL:
            return Section::kEntryPoints;
        case spv::Op::OpExecutionMode:
        case spv::Op::OpExecutionModeId:
            return Section::kExecutionModes;
        case spv::Op::OpSource:
        case spv::Op::OpSourceContinued:
        case spv::Op::OpSourceExtension:
        case spv::Op::OpName:
        case spv::Op::OpMemberName:
        case spv::Op::OpString:
        case spv::Op::OpModuleProcessed:
            return Section::kDebug;
        case spv::Op::OpDecorate:
        case spv::Op::OpMemberDecorate:
        case spv::Op::OpDecorationGroup:
        case spv::Op::OpGroupDecorate:
        case spv::Op::OpGroupMemberDecorate:
        case spv::Op::OpDecorateId:
        case spv::Op::OpDecorateString:
        case spv::Op::OpMemberDecorateString:
            return Section::kAnnotations;
        default:
            return Section::kGlobals;
    }
}

bool isDeclaration(const Instruction& i) {
    switch (i.opcode) {
        case spv::Op::OpConstantTrue:
        case spv::Op::OpConstantFalse:
        case spv::Op::OpConstant:
        case spv::Op::OpConstantComposite:
        case spv::Op::OpConstantSampler:
        case spv::Op::OpConstantNull:
        case spv::Op::OpSpecConstantTrue:
        case spv::Op::OpSpecConstantFalse:
        case spv::Op::OpSpecConstant:
        case spv::Op::OpSpecConstantComposite:
        case spv::Op::OpSpecConstantOp:
        case spv::Op::OpConstantCompositeReplicateEXT:
        case spv::Op::OpSpecConstantCompositeReplicateEXT:
            return true;
        default:
            return i.result != 0 && i.type == 0;
    }
}

}  // namespace coopvk::rewrite
