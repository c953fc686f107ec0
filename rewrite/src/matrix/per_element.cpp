// SPDX-License-Identifier: Apache-2.0
#include "ir/calls.hpp"
#include "matrix/instructions.hpp"
#include "matrix/lower.hpp"

namespace coopvk::rewrite {

namespace {

using enum spv::Op;

bool callsFunctions(spv::Op opcode) {
    return isOneOf(opcode, {OpCooperativeMatrixLoadTensorNV, OpCooperativeMatrixPerElementOpNV,
                            OpCooperativeMatrixReduceNV});
}

// Tangled instructions on matrices (SPIR-V 2.2.5), which all invocations of the scope execute
// together. Invocations call callbacks for different elements, and not equally often.
bool isTangled(spv::Op opcode) {
    return callsFunctions(opcode) ||
           isOneOf(opcode, {OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                            OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixStoreTensorNV,
                            OpCooperativeMatrixConvertNV, OpCooperativeMatrixTransposeNV});
}

}  // namespace

std::unordered_set<Id> callbacksOf(MatrixContext& context) {
    const Module& module = context.module;
    std::vector<Id> called;
    module.visitBlocks([&](const Instruction& i) {
        if (!callsFunctions(i.opcode)) return;
        for (const Operand& o : i.operands) {
            if (o.isId && module.def(o.word).opcode == OpFunction) called.push_back(o.word);
        }
    });
    if (called.empty()) return {};
    std::unordered_set<Id> callbacks = functionsReachedFrom(module, std::move(called));
    for (const auto& function : module.functions()) {
        if (!callbacks.contains(function->id())) continue;
        for (const auto& block : function->blocks) {
            for (const InstructionPtr& i : block->body) {
                if (!isTangled(i->opcode)) continue;
                context.fail(ErrorCode::kInvalidModule, *i,
                             "DecodeFunc, Func and CombineFunc must not lead to an instruction "
                             "that loads, stores, multiplies or converts matrices");
            }
        }
    }
    return callbacks;
}

// Instructions that depend on the row and the column of elements.

namespace {

// What SPV_NV_cooperative_matrix2 does not allow of the instruction, of Func and of the operands
// behind it; empty: it is valid.
std::string_view problem(const MatrixContext& context, const Instruction& call,
                         const MatrixType* matrix) {
    const Module& module = context.module;
    if (matrix == nullptr || context.matrixOfValue(call.word(0)) != matrix) {
        return "Result Type is not the type of Matrix, a cooperative matrix";
    }
    const Instruction& function = module.def(call.word(1));
    if (function.opcode != spv::Op::OpFunction || function.type != matrix->component) {
        return "Func is not a function that returns a component";
    }
    const Instruction& type = module.def(function.word(1));
    // Operands of the function type: result type, row, column, element, one for each further
    // operand.
    if (type.operands.size() != call.operands.size() + 2) {
        return "Func has another number of parameters than there are operands";
    }
    for (const size_t at : {1, 2}) {
        if (!context.types.isInteger(type.word(at)) || context.types.width(type.word(at)) != 32 ||
            context.types.components(type.word(at)) != 1) {
            return "the first two parameters of Func are not 32-bit integers";
        }
    }
    if (type.word(3) != matrix->component) return "the third parameter of Func is not a component";
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

// The elements of those operands that are matrices.
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
    const Id index = emit.toU32(query.word(1));
    const Id scalar = context.types.scalarOf(query.type);
    const auto coordinate = [&](Dimension d, Id local) {
        const Id lane = writer.laneOn(*matrix, d);
        return emit.bitcast(scalar, indexOfValue(emit, f.axis(d), lane, local));
    };
    const Id localRow = emit.over(index, f.columns.count());
    const Id localColumn = emit.modulo(index, f.columns.count());
    const Id ids[] = {coordinate(Dimension::kRows, localRow),
                      coordinate(Dimension::kColumns, localColumn)};
    emit.construct(query.type, ids, query.result);
}

}  // namespace coopvk::rewrite
