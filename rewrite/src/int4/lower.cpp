// SPDX-License-Identifier: Apache-2.0
#include "int4/lower.hpp"

#include "int4/int4_access.hpp"
#include "int4/int4_composites.hpp"
#include "int4/int4_constants.hpp"
#include "int4/int4_conversions.hpp"
#include "int4/int4_sixteen.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Instructions that may take 4-bit integers (SPV_INTEL_int4, "Validation Rules") and that renaming
// the types is enough for.
bool passesThrough(const Module& module, const Instruction& i) {
    switch (i.opcode) {
        case spv::Op::OpVariable:
        case spv::Op::OpUntypedVariableKHR:
        case spv::Op::OpLoad:
        case spv::Op::OpStore:
        case spv::Op::OpCopyMemory:
        case spv::Op::OpCopyMemorySized:
        case spv::Op::OpAccessChain:
        case spv::Op::OpInBoundsAccessChain:
        case spv::Op::OpPtrAccessChain:
        case spv::Op::OpInBoundsPtrAccessChain:
        case spv::Op::OpUntypedAccessChainKHR:
        case spv::Op::OpUntypedInBoundsAccessChainKHR:
        case spv::Op::OpUntypedPtrAccessChainKHR:
        case spv::Op::OpUntypedInBoundsPtrAccessChainKHR:
        case spv::Op::OpArrayLength:
        case spv::Op::OpUntypedArrayLengthKHR:
        case spv::Op::OpUndef:
        case spv::Op::OpFunctionCall:
        case spv::Op::OpReturnValue:
        case spv::Op::OpCompositeConstruct:
        case spv::Op::OpCompositeConstructReplicateEXT:
        case spv::Op::OpCompositeExtract:
        case spv::Op::OpCompositeInsert:
        case spv::Op::OpCopyObject:
        case spv::Op::OpCopyLogical:
        case spv::Op::OpSelect:
        case spv::Op::OpPhi:
        case spv::Op::OpUConvert:
        case spv::Op::OpSConvert:
        case spv::Op::OpConvertUToF:
        case spv::Op::OpConvertSToF:
        case spv::Op::OpConvertFToU:
        case spv::Op::OpConvertFToS:
        case spv::Op::OpBitcast:
        case spv::Op::OpCooperativeMatrixLoadKHR:
        case spv::Op::OpCooperativeMatrixStoreKHR:
        case spv::Op::OpCooperativeMatrixMulAddKHR:
        case spv::Op::OpCooperativeMatrixLengthKHR:
            return true;
        case spv::Op::OpExtInst:
            return isNonSemantic(module, i);
        default:
            return false;
    }
}

bool isInt4(const Int4Context& context, Id type) {
    return context.type(type) != nullptr || context.matrices.contains(type);
}

bool touchesInt4(const Int4Context& context, const Instruction& i) {
    if (isInt4(context, i.type)) return true;
    for (const Operand& operand : i.operands) {
        if (operand.isId && isInt4(context, context.module.def(operand.word).type)) return true;
    }
    return false;
}

class FunctionLowering {
 public:
    FunctionLowering(Int4Context& context, Function& function)
        : context_(context), function_(function) {}

    void run() {
        for (const auto& block : function_.blocks) {
            InstructionList old = std::move(block->body);
            block->body.clear();
            Emitter emit(context_.types, block->body);
            for (InstructionPtr& i : old) {
                lower(emit, std::move(i));
                if (context_.error) return;
            }
        }
    }

 private:
    void lower(Emitter& emit, InstructionPtr i) {
        if (!passesThrough(context_.module, *i) && !isLowered(*i) && touchesInt4(context_, *i)) {
            context_.fail(ErrorCode::kInvalidModule, *i,
                          "not one of the instructions that may take 4-bit integers "
                          "(SPV_INTEL_int4)");
            return;
        }
        if (lowerLaidOut(context_, emit, *i)) {
            checkInt4Access(context_, *i);
            context_.module.retire(std::move(i));
            return;
        }
        if (lowerInt4Access(context_, emit, pointers_, *i) ||
            lowerInt4Conversion(context_, emit, *i) || lowerInt4Composite(context_, emit, *i)) {
            context_.module.retire(std::move(i));
            return;
        }
        checkInt4Access(context_, *i);
        for (const Operand& operand : i->operands) {
            if (!operand.isId || !pointers_.contains(operand.word)) continue;
            context_.fail(ErrorCode::kUnsupported, *i,
                          "a pointer to one component of a vector of 4-bit integers can only be "
                          "loaded from, stored to and copied: two components share a byte, so it "
                          "has no address of its own; nor may one in logical addressing be passed "
                          "to a function, which takes pointers to whole variables (SPIR-V "
                          "specification, section 2.16.1)");
            return;
        }
        emit.add(std::move(i));
    }

    static bool isLowered(const Instruction& i) {
        return i.opcode == spv::Op::OpVectorExtractDynamic ||
               i.opcode == spv::Op::OpVectorInsertDynamic || i.opcode == spv::Op::OpVectorShuffle;
    }

    Int4Context& context_;
    Function& function_;
    ComponentPointers pointers_;
};

bool hasMatrices(const Module& module) {
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == spv::Op::OpTypeCooperativeMatrixKHR) return true;
    }
    return false;
}

}  // namespace

std::optional<Error> lowerInt4(Int4Context& context) {
    Module& module = context.module;
    findInt4Types(context);
    if (context.error) return context.error;
    chooseInt4Stands(context);
    if (context.error) return context.error;
    checkInt4Memory(context);
    checkLaidOut(context);
    if (context.error) return context.error;
    for (const auto& function : module.functions()) {
        FunctionLowering(context, *function).run();
        if (context.error) return context.error;
    }
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& constant = *globals[g];
        if (constant.opcode == spv::Op::OpVariable || constant.type == 0) continue;
        lowerInt4Constant(context, constant);
        lowerLaidOutConstant(context, constant);
        if (context.error) return context.error;
    }
    renameLaidOut(context);
    renameInt4Types(context);
    module.removeCapability(spv::Capability::Int4TypeINTEL);
    // Int4CooperativeMatrixINTEL declares CooperativeMatrixKHR implicitly.
    if (hasMatrices(module)) module.addCapability(spv::Capability::CooperativeMatrixKHR);
    module.removeCapability(spv::Capability::Int4CooperativeMatrixINTEL);
    module.removeCapability(spv::Capability::Vector16);
    module.removeExtension("SPV_INTEL_int4");
    return std::nullopt;
}

}  // namespace coopvk::rewrite
