// SPDX-License-Identifier: Apache-2.0
#include "unify/small_floats/small_floats.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"
#include "lowering/number_memory.hpp"

namespace coopvk::rewrite {

Id SmallFloatContext::format(Id matrix) const {
    const Instruction& def = module.def(matrix);
    if (def.opcode != spv::Op::OpTypeCooperativeMatrixKHR) return 0;
    const Number* number = numberOf(types, def.word(0));
    return number != nullptr && number->isSmallFloat() ? def.word(0) : 0;
}

Id toHeld(Emitter& emit, Id value) {
    TypeTable& types = emit.types();
    const Id format = types.scalarOf(emit.typeOf(value)), byte = types.intType(8, false);
    const Id held = heldType(types, format);
    const Id bytes =
        emit.bitcast(types.vectorType(byte, types.components(emit.typeOf(value))), value);
    const std::vector<Slot> slots =
        unpackComponents(emit, *numberOf(types, format), slotsOf(emit, {&bytes, 1}), byte, held);
    return gather(emit, held, slots);
}

Id fromHeld(Emitter& emit, Id format, Id value, Id result) {
    TypeTable& types = emit.types();
    const Id byte = types.intType(8, false);
    const Slot held[] = {{value, 0}};
    const std::vector<Slot> memory =
        packComponents(emit, *numberOf(types, format), held, heldType(types, format), byte);
    return emit.op(spv::Op::OpBitcast, format, {scalarOf(emit, byte, memory[0])}, result);
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
