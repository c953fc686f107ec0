// SPDX-License-Identifier: Apache-2.0
#include "numbers/half_code.hpp"

#include "lowering/words.hpp"

namespace coopvk::rewrite {

bool HalfCode::isHalf(Id type) const {
    if (context_.matrices.contains(type)) return true;
    const Number* number = context_.format(type);
    return number != nullptr && number->isHalf();
}

namespace {

// OpTypeMatrix, which must be unique (SPIR-V specification, section 2.8).
Id matrixType(Module& module, Id column, uint32_t columns) {
    const Operands operands = {idOperand(column), literal(columns)};
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == spv::Op::OpTypeMatrix && i->operands == operands) return i->result;
    }
    const Id type = module.takeId();
    module.append(Section::kGlobals,
                  makeInstruction(spv::Op::OpTypeMatrix, 0, type, Operands(operands)));
    return type;
}

}  // namespace

Id HalfCode::f32Type(Id type) {
    if (!isHalf(type)) return type;
    TypeTable& types = context_.types;
    if (const auto matrix = context_.matrices.find(type); matrix != context_.matrices.end()) {
        return matrixType(context_.module, f32Type(matrix->second.column), matrix->second.columns);
    }
    return types.vectorType(types.floatType(32), types.components(type));
}

Id HalfCode::decode(Id value) {
    const Id type = emit_.typeOf(value);
    if (!isHalf(type)) return value;
    const auto matrix = context_.matrices.find(type);
    if (matrix == context_.matrices.end()) {
        Converter convert(context_, emit_, context_.types.components(type));
        return convert.decode(*context_.format(type), value);
    }
    std::vector<Id> columns;
    for (uint32_t c = 0; c < matrix->second.columns; ++c) {
        columns.push_back(decode(emit_.extract(matrix->second.column, value, {c})));
    }
    return emit_.construct(f32Type(type), columns);
}

Id HalfCode::encode(Id type, Id value) {
    if (!isHalf(type)) return value;
    const auto matrix = context_.matrices.find(type);
    if (matrix == context_.matrices.end()) {
        Converter convert(context_, emit_, context_.types.components(type));
        return convert.encode(*context_.format(type), value, Rounding::kNearestEven);
    }
    std::vector<Id> columns;
    const Id column = f32Type(matrix->second.column);
    for (uint32_t c = 0; c < matrix->second.columns; ++c) {
        columns.push_back(encode(matrix->second.column, emit_.extract(column, value, {c})));
    }
    return emit_.construct(type, columns);
}

}  // namespace coopvk::rewrite
