// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/types.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

namespace {

// Instructions that may take 4-bit integers (SPV_INTEL_int4, "Validation Rules"), among them all
// "function instructions".
bool mayTakeInt4(const Module& module, const Instruction& i) {
    return movesBits(module, i) || (isConversion(i.opcode) && i.opcode != OpFConvert) ||
           isOneOf(i.opcode, {OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                              OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixLengthKHR,
                              OpCooperativeMatrixPerElementOpNV});
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
        context.unsupported(
            i,
            "a pointer to a component of a vector of 4-bit integers is used for more "
            "than loads, stores and copies: the component has no address, since two "
            "components share a byte; and with logical addressing function arguments "
            "must be pointers to whole variables (SPIR-V specification, section 2.16.1)");
    }
}

// Replaces all 4-bit types except component types of matrices.
void replaceInt4Types(Int4Context& context) {
    TypeReplacements replacements;
    for (const auto& [id, type] : context.int4) replacements[id] = type.replacement;
    replaceTypes(context.types, replacements,
                 [](const Instruction& i) { return i.opcode == OpTypeCooperativeMatrixKHR; });
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
    table.lowerAll(context, memory);
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        if (globals[g]->opcode != OpVariable) lowerInt4Constant(context, *globals[g]);
    }
    if (context.error) return context.error;
    memory.retypePointers();
    // Accesses to components have taken the place of their pointers.
    std::unordered_set<Id> pointers;
    for (const auto& [id, pointer] : context.componentPointers) pointers.insert(id);
    module.forget(pointers);
    replaceInt4Types(context);
    module.removeCapability(spv::Capability::Int4TypeINTEL);
    module.removeCapability(spv::Capability::Vector16);
    module.removeExtension("SPV_INTEL_int4");
    const auto isMatrix = [](const InstructionPtr& i) {
        return i->opcode == OpTypeCooperativeMatrixKHR;
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
