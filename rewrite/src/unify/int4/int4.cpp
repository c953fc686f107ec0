// SPDX-License-Identifier: Apache-2.0
#include "unify/int4/int4.hpp"

#include "ir/memory_operands.hpp"
#include "ir/one_of.hpp"
#include "unify/int4/instructions.hpp"

namespace coopvk::rewrite {

namespace {

using spv::Op;

// Instructions that may take 4-bit integers (SPV_INTEL_int4, "Validation Rules").
bool mayTakeInt4(const Module& module, const Instruction& i) {
    using enum spv::Op;
    return movesValues(i.opcode) || isAccessChain(i.opcode) || isUntypedChain(i.opcode) ||
           isUntypedStep(i.opcode) || (isConversion(i.opcode) && i.opcode != OpFConvert) ||
           isNonSemantic(module, i) ||
           isOneOf(i.opcode,
                   {OpUntypedVariableKHR, OpCopyMemory, OpCopyMemorySized, OpPtrAccessChain,
                    OpInBoundsPtrAccessChain, OpArrayLength, OpUntypedArrayLengthKHR,
                    OpVectorExtractDynamic, OpVectorInsertDynamic, OpVectorShuffle,
                    OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                    OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixLengthKHR});
}

bool touchesInt4(const Int4Context& context, const Instruction& i) {
    const auto isInt4 = [&](Id type) {
        return context.type(type) != nullptr || context.isMatrix(type);
    };
    return isInt4(i.type) || std::ranges::any_of(i.operands, [&](const Operand& operand) {
               return operand.isId && isInt4(context.module.def(operand.word).type);
           });
}

class Int4Function {
 public:
    Int4Function(Int4Context& context, LaidOutSixteens& memory)
        : context_(context), memory_(memory) {}

    void run(Function& function) {
        for (const auto& block : function.blocks) {
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
        if (!mayTakeInt4(context_.module, *i) && touchesInt4(context_, *i)) {
            context_.fail(ErrorCode::kInvalidModule, *i,
                          "not one of the instructions that may take 4-bit integers "
                          "(SPV_INTEL_int4)");
            return;
        }
        if (lowerCopy(emit, *i) || lowerInt4Access(context_, emit, memory_, pointers_, *i) ||
            lowerInt4Conversion(context_, emit, *i) || lowerInt4Composite(context_, emit, *i)) {
            context_.module.retire(std::move(i));
            return;
        }
        checkInt4Access(context_, *i);
        checkPointers(*i);
        switch (i->opcode) {
            case Op::OpLoad:
            case Op::OpStore:
            case Op::OpCopyMemory:
                return memory_.access(emit, std::move(i));
            case Op::OpCooperativeMatrixLoadKHR:
            case Op::OpCooperativeMatrixStoreKHR:
                memory_.checkMatrix(*i);
                break;
            default:
                memory_.adoptChain(*i);
                break;
        }
        emit.add(std::move(i));
    }

    // A copy from or to a component is its load and its store.
    bool lowerCopy(Emitter& emit, const Instruction& i) {
        if (i.opcode != Op::OpCopyMemory) return false;
        auto component = pointers_.find(i.word(0));
        if (component == pointers_.end()) component = pointers_.find(i.word(1));
        if (component == pointers_.end()) return false;
        const CopyOperands memory = copyOperands(i);
        const Id value = context_.module.takeId();
        // A scalar takes a byte, and so do two components.
        Operands from = {idOperand(i.word(1))}, to = {idOperand(i.word(0)), idOperand(value)};
        append(from, memory.source.forLoad(1));
        append(to, memory.target.forStore(1));
        const Id scalar = context_.module.def(component->second.type).word(0);
        lower(emit, makeInstruction(Op::OpLoad, scalar, value, std::move(from)));
        lower(emit, makeInstruction(Op::OpStore, 0, 0, std::move(to)));
        return true;
    }

    void checkPointers(const Instruction& i) {
        for (const Operand& operand : i.operands) {
            if (!operand.isId || !pointers_.contains(operand.word)) continue;
            context_.fail(ErrorCode::kUnsupported, i,
                          "a pointer to one component of a vector of 4-bit integers can only be "
                          "loaded from, stored to and copied: two components share a byte, so it "
                          "has no address of its own; nor may one in logical addressing be passed "
                          "to a function, which takes pointers to whole variables (SPIR-V "
                          "specification, section 2.16.1)");
        }
    }

    Int4Context& context_;
    LaidOutSixteens& memory_;
    ComponentPointers pointers_;
};

}  // namespace

std::optional<Error> unifyInt4(Int4Context& context) {
    Module& module = context.module;
    findInt4Types(context);
    if (context.error) return context.error;
    chooseInt4Replacements(context);
    if (context.error) return context.error;
    checkInt4Memory(context);
    if (context.error) return context.error;
    LaidOutSixteens memory(context);
    memory.checkPointers();
    for (const auto& function : module.functions()) {
        if (context.error) return context.error;
        Int4Function(context, memory).run(*function);
    }
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        if (globals[g]->opcode != Op::OpVariable) lowerInt4Constant(context, *globals[g]);
    }
    if (context.error) return context.error;
    memory.adoptPointers();
    renameInt4Types(context);
    module.removeCapability(spv::Capability::Int4TypeINTEL);
    module.removeCapability(spv::Capability::Vector16);
    module.removeExtension("SPV_INTEL_int4");
    const auto isMatrix = [](const InstructionPtr& i) {
        return i->opcode == Op::OpTypeCooperativeMatrixKHR;
    };
    const auto isInt4Matrix = [&](const InstructionPtr& i) { return context.isMatrix(i->result); };
    // Int4CooperativeMatrixINTEL declares CooperativeMatrixKHR implicitly.
    if (std::ranges::any_of(globals, isMatrix)) {
        module.addCapability(spv::Capability::CooperativeMatrixKHR);
    }
    if (std::ranges::none_of(globals, isInt4Matrix)) {
        module.removeCapability(spv::Capability::Int4CooperativeMatrixINTEL);
    }
    return std::nullopt;
}

}  // namespace coopvk::rewrite
