// SPDX-License-Identifier: Apache-2.0
#include "unify/transpositions.hpp"

namespace coopvk::rewrite {

namespace {

Id componentOf(const Module& module, Id matrixType) { return module.def(matrixType).word(0); }

// A matrix with its components converted to another type.
Id converted(Emitter& emit, Id value, Id component) {
    TypeTable& types = emit.types();
    const Id matrix = emit.typeOf(value);
    const auto op = [&](spv::Op opcode, Id scalar, Id operand) {
        Operands type = emit.module().def(matrix).operands;
        type[0] = idOperand(scalar);
        return emit.op(opcode, types.matrixType(std::move(type)), {operand});
    };
    const spv::Op opcode = types.conversion(componentOf(emit.module(), matrix), component);
    if (opcode != OpUConvert) return op(opcode, component, value);
    const Id result = types.intType(types.width(component), false);
    const Id extended = op(opcode, result, value);
    return result == component ? extended : op(OpBitcast, component, extended);
}

bool splitTransposition(LoweringContext& context, Emitter& emit, Instruction& transposition) {
    const auto isMatrix = [&](Id type) {
        return context.module.def(type).opcode == OpTypeCooperativeMatrixKHR;
    };
    const Id operand = transposition.word(0), type = emit.typeOf(operand);
    if (!isMatrix(transposition.type) || !isMatrix(type)) return false;
    const Id wanted = componentOf(context.module, transposition.type);
    if (componentOf(context.module, type) == wanted) return false;
    transposition.operands[0] = idOperand(converted(emit, operand, wanted));
    return false;
}

}  // namespace

std::optional<Error> splitTranspositions(LoweringContext& context) {
    if (!context.module.hasCapability(spv::Capability::CooperativeMatrixConversionsNV)) {
        return std::nullopt;
    }
    OpcodeTable<FunctionLowering<LoweringContext>> table;
    table.add<splitTransposition>({OpCooperativeMatrixTransposeNV});
    table.lowerAll(context);
    return context.error;
}

}  // namespace coopvk::rewrite
