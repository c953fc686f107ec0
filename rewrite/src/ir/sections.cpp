// SPDX-License-Identifier: Apache-2.0
#include "ir/sections.hpp"

#include "ir/one_of.hpp"

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
    using enum spv::Op;
    return (i.result != 0 && i.type == 0) ||
           isOneOf(i.opcode,
                   {OpConstantTrue, OpConstantFalse, OpConstant, OpConstantComposite,
                    OpConstantSampler, OpConstantNull, OpSpecConstantTrue, OpSpecConstantFalse,
                    OpSpecConstant, OpSpecConstantComposite, OpSpecConstantOp,
                    OpConstantCompositeReplicateEXT, OpSpecConstantCompositeReplicateEXT});
}

}  // namespace coopvk::rewrite
