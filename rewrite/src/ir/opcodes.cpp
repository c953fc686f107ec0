// SPDX-License-Identifier: Apache-2.0
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

bool movesValues(spv::Op opcode) {
    switch (opcode) {
        case spv::Op::OpLoad:
        case spv::Op::OpStore:
        case spv::Op::OpCopyObject:
        case spv::Op::OpCopyLogical:
        case spv::Op::OpPhi:
        case spv::Op::OpSelect:
        case spv::Op::OpUndef:
        case spv::Op::OpVariable:  // by its initializer
        case spv::Op::OpFunctionCall:
        case spv::Op::OpReturnValue:
        case spv::Op::OpCompositeConstruct:
        case spv::Op::OpCompositeConstructReplicateEXT:
        case spv::Op::OpCompositeExtract:
        case spv::Op::OpCompositeInsert:
            return true;
        default:
            return false;
    }
}

bool isArithmetic(spv::Op opcode) {
    switch (opcode) {
        case spv::Op::OpSNegate:
        case spv::Op::OpFNegate:
        case spv::Op::OpIAdd:
        case spv::Op::OpFAdd:
        case spv::Op::OpISub:
        case spv::Op::OpFSub:
        case spv::Op::OpFMul:
        case spv::Op::OpIMul:
        case spv::Op::OpFDiv:
        case spv::Op::OpSDiv:
        case spv::Op::OpUDiv:
            return true;
        default:
            return false;
    }
}

bool isConversion(spv::Op opcode) {
    switch (opcode) {
        case spv::Op::OpConvertFToU:
        case spv::Op::OpConvertFToS:
        case spv::Op::OpConvertSToF:
        case spv::Op::OpConvertUToF:
        case spv::Op::OpUConvert:
        case spv::Op::OpSConvert:
        case spv::Op::OpFConvert:
        case spv::Op::OpBitcast:
            return true;
        default:
            return false;
    }
}

bool isNonSemantic(const Module& module, const Instruction& instruction) {
    return instruction.opcode == spv::Op::OpExtInst &&
           stringFromOperands(module.def(instruction.word(0)), 0).starts_with("NonSemantic.");
}

bool isArrayType(spv::Op opcode) {
    return opcode == spv::Op::OpTypeArray || opcode == spv::Op::OpTypeRuntimeArray;
}

bool isPointerType(spv::Op opcode) {
    return opcode == spv::Op::OpTypePointer || opcode == spv::Op::OpTypeUntypedPointerKHR;
}

bool isVariable(spv::Op opcode) {
    return opcode == spv::Op::OpVariable || opcode == spv::Op::OpUntypedVariableKHR;
}

bool isDebugLine(spv::Op opcode) {
    return opcode == spv::Op::OpLine || opcode == spv::Op::OpNoLine;
}

bool isTerminator(spv::Op opcode) {
    switch (opcode) {
        case spv::Op::OpBranch:
        case spv::Op::OpBranchConditional:
        case spv::Op::OpSwitch:
        case spv::Op::OpReturn:
        case spv::Op::OpReturnValue:
        case spv::Op::OpKill:
        case spv::Op::OpUnreachable:
        case spv::Op::OpTerminateInvocation:
        case spv::Op::OpIgnoreIntersectionKHR:
        case spv::Op::OpTerminateRayKHR:
        case spv::Op::OpEmitMeshTasksEXT:
        case spv::Op::OpAbortKHR:
            return true;
        default:
            return false;
    }
}

bool isAccessChain(spv::Op opcode) {
    return opcode == spv::Op::OpAccessChain || opcode == spv::Op::OpInBoundsAccessChain;
}

bool isUntypedChain(spv::Op opcode) {
    return opcode == spv::Op::OpUntypedAccessChainKHR ||
           opcode == spv::Op::OpUntypedInBoundsAccessChainKHR;
}

bool isUntypedStep(spv::Op opcode) {
    return opcode == spv::Op::OpUntypedPtrAccessChainKHR ||
           opcode == spv::Op::OpUntypedInBoundsPtrAccessChainKHR;
}

size_t firstChainIndex(spv::Op opcode) {
    switch (opcode) {
        case spv::Op::OpAccessChain:
        case spv::Op::OpInBoundsAccessChain:
            return 1;
        case spv::Op::OpPtrAccessChain:
        case spv::Op::OpInBoundsPtrAccessChain:
        case spv::Op::OpUntypedAccessChainKHR:
        case spv::Op::OpUntypedInBoundsAccessChainKHR:
            return 2;
        default:
            return 0;
    }
}

}  // namespace coopvk::rewrite
