// SPDX-License-Identifier: Apache-2.0
#include "matrix/per_element.hpp"

#include "matrix/packs.hpp"

namespace coopvk::rewrite {

namespace {

// What is wrong with the function or the operands behind it, or nothing:
// SPV_NV_cooperative_matrix2, OpCooperativeMatrixPerElementOpNV.
std::string_view problem(const MatrixContext& context, const Instruction& call,
                         const MatrixType* matrix) {
    const Module& module = context.module;
    if (matrix == nullptr || context.matrixOfValue(call.word(0)) != matrix) {
        return "Result Type is not the type of Matrix, a cooperative matrix";
    }
    const Instruction& function = module.def(call.word(1));
    if (function.opcode != spv::Op::OpFunction || function.type != matrix->component) {
        return "Func is no function that returns a component";
    }
    const Instruction& type = module.def(function.word(1));
    // Result type, then parameters: row, column, element, and one for each further operand.
    if (type.operands.size() != call.operands.size() + 2) {
        return "Func has another number of parameters than there are operands";
    }
    for (const size_t at : {1, 2}) {
        if (!context.types.isInteger(type.word(at)) || context.types.width(type.word(at)) != 32 ||
            context.types.components(type.word(at)) != 1) {
            return "the first two parameters of Func are no 32-bit integers";
        }
    }
    if (type.word(3) != matrix->component) return "the third parameter of Func is no component";
    for (size_t i = 2; i < call.operands.size(); ++i) {
        const MatrixType* other = context.matrixOfValue(call.word(i));
        const Id parameter = type.word(i + 2);
        if (other != nullptr && (other != matrix || parameter != matrix->component)) {
            return "an operand is a matrix of another type than Matrix";
        }
        if (other == nullptr && parameter != module.def(call.word(i)).type) {
            return "an operand is not of the type of Func's parameter";
        }
    }
    return {};
}

// The matrices among an instruction's operands take part with the element in the same place.
std::vector<std::optional<HeldElements>> matricesIn(const MatrixContext& context, Emitter& emit,
                                                    const Instruction& call) {
    std::vector<std::optional<HeldElements>> matrices(call.operands.size());
    for (size_t i = 0; i < call.operands.size(); ++i) {
        const MatrixType* matrix = context.matrixOfValue(call.word(i));
        if (matrix != nullptr) matrices[i].emplace(*matrix, emit, call.word(i));
    }
    return matrices;
}

}  // namespace

void lowerPerElement(MatrixContext& context, MatrixWriter& writer, const Instruction& call) {
    const MatrixType* matrix = context.matrix(call.type);
    if (const std::string_view what = problem(context, call, matrix); !what.empty()) {
        context.fail(ErrorCode::kInvalidModule, call, what);
        return;
    }
    if (matrix->isConverted()) {
        context.fail(ErrorCode::kUnsupported, call, "takes no components of 4 bits");
        return;
    }
    Emitter& emit = writer.emit();
    const Id function = call.word(1);
    const Instruction& type = context.module.def(context.module.def(function).word(1));
    const Id rowType = type.word(1), columnType = type.word(2);
    std::vector<std::optional<HeldElements>> matrices = matricesIn(context, emit, call);
    HeldElements result(*matrix);
    const Fragment& f = matrix->fragment;
    for (uint32_t row = 0; row < f.rows.count(); ++row) {
        const Id rowIndex = emit.bitcast(rowType, writer.rowOf(*matrix, row));
        for (uint32_t column = 0; column < f.columns.count(); ++column) {
            const Id columnIndex = emit.bitcast(columnType, writer.columnOf(*matrix, column));
            Operands operands = {idOperand(function), idOperand(rowIndex), idOperand(columnIndex),
                                 idOperand(matrices[0]->scalar(emit, *matrix, row, column))};
            for (size_t i = 2; i < call.operands.size(); ++i) {
                const Id value =
                    matrices[i] ? matrices[i]->scalar(emit, *matrix, row, column) : call.word(i);
                operands.push_back(idOperand(value));
            }
            result.at(row, column) = {
                emit.op(spv::Op::OpFunctionCall, matrix->component, std::move(operands)), 0};
        }
    }
    result.construct(*matrix, emit, call.result);
}

void lowerGetCoordinate(MatrixContext& context, MatrixWriter& writer, const Instruction& query) {
    const MatrixType* matrix = context.matrixOfValue(query.word(0));
    const TypeTable& types = context.types;
    if (matrix == nullptr || types.components(query.type) != 2 || types.width(query.type) != 32 ||
        !types.isInteger(query.type) || !types.isInteger(context.module.def(query.word(1)).type)) {
        context.fail(ErrorCode::kInvalidModule, query,
                     "takes a cooperative matrix and an integer, gives two 32-bit integers");
        return;
    }
    Emitter& emit = writer.emit();
    const Fragment& f = matrix->fragment;
    // Local index on an axis -> index: see Axis::index().
    const auto along = [&](const Axis& axis, Id lane, Id local) {
        const Id turn = emit.times(emit.over(local, axis.block), axis.lanes * axis.block);
        const Id inBlock = emit.modulo(local, axis.block);
        const Id first = axis.lanes == 1 ? emit.constant(0) : emit.times(lane, axis.block);
        return emit.addU32(emit.addU32(turn, inBlock), first);
    };
    const Id index = emit.toU32(query.word(1));
    const Id localRow = emit.over(index, f.columns.count());
    const Id localColumn = emit.modulo(index, f.columns.count());
    const Id scalar = context.types.scalarOf(query.type);
    const Id ids[] = {
        emit.bitcast(scalar, along(f.rows, writer.rowLane(*matrix), localRow)),
        emit.bitcast(scalar, along(f.columns, writer.columnLane(*matrix), localColumn))};
    emit.construct(query.type, ids, query.result);
}

}  // namespace coopvk::rewrite
