// SPDX-License-Identifier: Apache-2.0
#include "unify/small_floats/small_floats.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

Id SmallFloatContext::format(Id matrix) const {
    const Instruction& def = module.def(matrix);
    if (def.opcode != spv::Op::OpTypeCooperativeMatrixKHR) return 0;
    const Number* number = numberOf(types, def.word(0));
    return number != nullptr && number->isSmallFloat() ? def.word(0) : 0;
}

void SmallFloatContext::checkKept(const Instruction& i) {
    if (isNonSemantic(module, i)) return;
    const bool takesPointer = std::ranges::any_of(i.operands, [&](const Operand& operand) {
        return operand.isId && elementPointers.contains(operand.word);
    });
    const bool accesses = i.opcode == spv::Op::OpLoad || i.opcode == spv::Op::OpStore;
    if (!takesPointer || accesses || i.opcode == spv::Op::OpCopyObject) return;
    fail(ErrorCode::kUnsupported, i,
         "a pointer to an 8-bit float of a matrix is used for more than loads, stores and copies");
}

std::optional<Error> holdSmallFloats(SmallFloatContext& context) {
    Module& module = context.module;
    const auto isMatrix = [&](const InstructionPtr& i) { return context.isMatrix(i->result); };
    if (std::ranges::none_of(module.section(Section::kGlobals), isMatrix)) return std::nullopt;
    holdConstants(context);
    OpcodeTable<SmallFloatFunction> table;
    addSmallFloatElements(table);
    addSmallFloatCalls(table);
    for (const auto& function : module.functions()) {
        if (context.error) return context.error;
        SmallFloatFunction lowering(context, *function);
        table.lower(lowering, *function);
    }
    if (context.error) return context.error;
    context.types.declareArithmetic(context.types.floatType(16));
    context.types.declareArithmetic(context.types.intType(8, false));  // bits of elements
    context.addNewFunctions();
    return context.error;
}

}  // namespace coopvk::rewrite
