// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor_helpers.hpp"

#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

// Parameters: row, fits, sizes.
Id buildRowCoordinates(LoweringContext& context, Id resultType, uint32_t count) {
    TypeTable& types = context.types;
    std::vector<Id> parameters(count + 2, types.uint32());
    parameters[1] = types.boolType();
    FunctionBuilder b(types, context.newFunctions, "coopvk_tensor_row", resultType, parameters);
    Emitter& emit = b.emit();
    const auto rowAlone = [&] {
        std::vector<Id> coordinates(count, emit.constant(0));
        coordinates.back() = b.parameter(0);
        return emit.construct(resultType, coordinates);
    };
    const auto divided = [&] {
        std::vector<Id> coordinates(count);
        Id rest = b.parameter(0);
        for (uint32_t d = count; d-- > 0;) {
            coordinates[d] = safeRemainder(emit, rest, b.parameter(d + 2));
            if (d != 0) rest = safeDivide(emit, rest, b.parameter(d + 2));
        }
        return emit.construct(resultType, coordinates);
    };
    return b.finish(b.chooseValue(resultType, b.parameter(1), rowAlone, divided));
}

}  // namespace

std::vector<Id> extractAll(Emitter& emit, Id structure) {
    const Instruction& type = emit.module().def(emit.typeOf(structure));
    std::vector<Id> types;
    for (const Operand& member : type.operands) types.push_back(member.word);
    std::vector<Id> members;
    for (uint32_t m = 0; m < types.size(); ++m) {
        members.push_back(emit.extract(types[m], structure, {m}));
    }
    return members;
}

std::vector<Id> callRowCoordinates(LoweringContext& context, Emitter& emit, Id row, Id fits,
                                   std::span<const Id> sizes) {
    const auto count = static_cast<uint32_t>(sizes.size());
    const std::vector<Id> members(count, context.types.uint32());
    const Id resultType = context.types.structType(members);
    const Id function =
        context.helper({kTensorHelper, static_cast<uint32_t>(TensorHelper::kRow), count},
                       [&] { return buildRowCoordinates(context, resultType, count); });
    Operands operands = {idOperand(function), idOperand(row), idOperand(fits)};
    for (const Id size : sizes) operands.push_back(idOperand(size));
    return extractAll(emit, emit.op(spv::Op::OpFunctionCall, resultType, std::move(operands)));
}

}  // namespace coopvk::rewrite
