// SPDX-License-Identifier: Apache-2.0
#include "unify/int4/types.hpp"

#include <algorithm>

#include "ir/types.hpp"

namespace coopvk::rewrite {

void findInt4Types(Int4Context& context) {
    Module& module = context.module;
    for (const InstructionPtr& global : module.section(Section::kGlobals)) {
        const Instruction& i = *global;
        if (i.opcode == spv::Op::OpTypeInt && i.word(0) == 4) {
            const bool isSigned = i.word(1) != 0;
            context.int4[i.result] = {i.result, isSigned, 1};
        } else if (i.opcode == spv::Op::OpTypeVector) {
            const Int4Type* scalar = context.type(i.word(0));
            if (scalar == nullptr) {
                if (i.word(1) <= 4) continue;
                context.fail(ErrorCode::kUnsupported, i,
                             "vectors of more than four components are for 4-bit integers only");
                return;
            }
            constexpr uint32_t kCounts[] = {2, 3, 4, 8, 16};
            if (std::ranges::find(kCounts, i.word(1)) == std::end(kCounts)) {
                context.fail(ErrorCode::kInvalidModule, i,
                             "a vector has 2, 3, 4, 8 or 16 components");
                return;
            }
            context.int4[i.result] = {i.result, scalar->isSigned, i.word(1)};
        } else if (context.isMatrix(i.result) &&
                   !module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL)) {
            context.fail(ErrorCode::kInvalidModule, i,
                         "matrices of 4-bit components need the capability "
                         "Int4CooperativeMatrixINTEL");
            return;
        }
    }
}

void renameInt4Types(Int4Context& context) {
    TypeNames names;
    for (const auto& [id, type] : context.int4) names[id] = type.replacement;
    replaceTypes(context.types, names, [](const Instruction& i) {
        return i.opcode == spv::Op::OpTypeCooperativeMatrixKHR;
    });
}

namespace {

// Instructions that may take 4-bit integers (SPV_INTEL_int4, "Validation Rules"), among them all
// "function instructions".
bool mayTakeInt4(const Module& module, const Instruction& i) {
    using enum spv::Op;
    return movesValues(i.opcode) || isAccessChain(i.opcode) || isUntypedChain(i.opcode) ||
           isUntypedStep(i.opcode) || (isConversion(i.opcode) && i.opcode != OpFConvert) ||
           isNonSemantic(module, i) ||
           isOneOf(i.opcode, {OpUntypedVariableKHR, OpCopyMemory, OpCopyMemorySized,
                              OpPtrAccessChain, OpInBoundsPtrAccessChain, OpArrayLength,
                              OpUntypedArrayLengthKHR, OpVectorExtractDynamic,
                              OpVectorInsertDynamic, OpVectorShuffle, OpCooperativeMatrixLoadKHR,
                              OpCooperativeMatrixStoreKHR, OpCooperativeMatrixMulAddKHR,
                              OpCooperativeMatrixLengthKHR, OpCooperativeMatrixPerElementOpNV});
}

bool touchesInt4(const Int4Context& context, const Instruction& i) {
    const auto isInt4 = [&](Id type) {
        return context.type(type) != nullptr || context.isMatrix(type);
    };
    return isInt4(i.type) || std::ranges::any_of(i.operands, [&](const Operand& operand) {
               return operand.isId && isInt4(context.module.def(operand.word).type);
           });
}

void checkPointers(Int4Context& context, const Instruction& i) {
    for (const Operand& operand : i.operands) {
        if (!operand.isId || !context.componentPointers.contains(operand.word)) continue;
        context.fail(ErrorCode::kUnsupported, i,
                     "a pointer to a component of a vector of 4-bit integers is used for more "
                     "than loads, stores and copies: the component has no address, since two "
                     "components share a byte; and with logical addressing function arguments "
                     "must be pointers to whole variables (SPIR-V specification, section 2.16.1)");
    }
}

}  // namespace

void Int4Context::checkKept(const Instruction& i) {
    if (!mayTakeInt4(module, i) && touchesInt4(*this, i)) {
        fail(ErrorCode::kInvalidModule, i,
             "not one of the instructions that may take 4-bit integers (SPV_INTEL_int4)");
        return;
    }
    checkInt4Access(*this, i);
    checkPointers(*this, i);
}

std::optional<Error> unifyInt4(Int4Context& context) {
    Module& module = context.module;
    findInt4Types(context);
    if (context.error) return context.error;
    chooseInt4Replacements(context);
    if (context.error) return context.error;
    checkInt4Memory(context);
    if (context.error) return context.error;
    Vector16Memory memory(context);
    memory.checkPointers();
    OpcodeTable<Int4Function> table;
    addInt4Accesses(table);
    addInt4Composites(table);
    addInt4Conversions(table);
    for (const auto& function : module.functions()) {
        if (context.error) return context.error;
        Int4Function lowering(context, memory, *function);
        table.lower(lowering, *function);
    }
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        if (globals[g]->opcode != spv::Op::OpVariable) lowerInt4Constant(context, *globals[g]);
    }
    if (context.error) return context.error;
    memory.retypePointers();
    // Accesses to components have taken the place of their pointers.
    std::unordered_set<Id> pointers;
    for (const auto& [id, pointer] : context.componentPointers) pointers.insert(id);
    module.forget(pointers);
    renameInt4Types(context);
    module.removeCapability(spv::Capability::Int4TypeINTEL);
    module.removeCapability(spv::Capability::Vector16);
    module.removeExtension("SPV_INTEL_int4");
    const auto isMatrix = [](const InstructionPtr& i) {
        return i->opcode == spv::Op::OpTypeCooperativeMatrixKHR;
    };
    const auto isInt4Matrix = [&](const InstructionPtr& i) { return context.isMatrix(i->result); };
    // Int4CooperativeMatrixINTEL declares CooperativeMatrixKHR implicitly.
    if (std::ranges::any_of(globals, isMatrix)) {
        module.addCapability(spv::Capability::CooperativeMatrixKHR);
    }
    if (std::ranges::none_of(globals, isInt4Matrix)) {
        module.removeCapability(spv::Capability::Int4CooperativeMatrixINTEL);
    }
    return context.error;
}

}  // namespace coopvk::rewrite
