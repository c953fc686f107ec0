// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <map>

#include "ir/calls.hpp"
#include "matrix/context.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

namespace {

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
                context.invalid(*i,
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
    if (function.opcode != OpFunction || function.type != matrix->component) {
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

// A valid OpCooperativeMatrixPerElementOpNV.
class PerElement : private MatrixCode {
 public:
    PerElement(MatrixContext& context, MatrixWriter& writer, const Instruction& call,
               const MatrixType& matrix)
        : MatrixCode(context, writer),
          call_(call),
          matrix_(matrix),
          functionType_(context.module.def(context.module.def(call.word(1)).word(1))) {}

    // Drivers inline each call.
    void run() {
        const DevicePlan& device = context_.target.device;
        const CalledCode code = codeOf(context_.module, call_.word(1));
        const uint32_t count = matrix_.length();
        if (code.hasLoops || code.words * count > device.unrolledCallWords) {
            inLoops(spv::LoopControlMask::DontUnroll);
        } else if (count > device.maxElementCalls) {
            inLoops(spv::LoopControlMask::Unroll);
        } else {
            unrolled();
        }
    }

 private:
    // One call. element(i) gives the element of operand number i, a matrix.
    template <typename Element>
    Id called(Id row, Id column, const Element& element) {
        Operands operands = {idOperand(call_.word(1)),
                             idOperand(emit_.bitcast(functionType_.word(1), row)),
                             idOperand(emit_.bitcast(functionType_.word(2), column))};
        for (size_t i = 0; i < call_.operands.size(); ++i) {
            if (i == 1) continue;  // the function
            operands.push_back(idOperand(isMatrix(i) ? element(i) : call_.word(i)));
        }
        return emit_.op(OpFunctionCall, matrix_.component, std::move(operands));
    }

    bool isMatrix(size_t operand) const {
        return context_.matrixOfValue(call_.word(operand)) != nullptr;
    }

    void unrolled() {
        std::map<size_t, HeldElements> matrices;
        for (size_t i = 0; i < call_.operands.size(); ++i) {
            if (isMatrix(i)) matrices.try_emplace(i, matrix_, emit_, call_.word(i));
        }
        HeldElements result(matrix_);
        for (uint32_t row = 0; row < matrix_.fragment.rows.count(); ++row) {
            const Id rowIndex = writer_.rowOf(matrix_, row);
            for (uint32_t column = 0; column < matrix_.fragment.columns.count(); ++column) {
                const auto element = [&](size_t i) {
                    return matrices.at(i).scalar(emit_, matrix_, row, column);
                };
                const Id columnIndex = writer_.columnOf(matrix_, column);
                result.at(row, column) = {called(rowIndex, columnIndex, element), 0};
            }
        }
        result.construct(matrix_, emit_, call_.result);
    }

    // Each result takes the place of the first operand's element.
    void inLoops(spv::LoopControlMask control) {
        std::map<size_t, ElementArray> matrices;
        for (size_t i = 0; i < call_.operands.size(); ++i) {
            if (!isMatrix(i)) continue;
            matrices.try_emplace(i, context_, writer_, matrix_).first->second.fill(call_.word(i));
        }
        eachOn(Dimension::kRows, control, [&](Id row, Id rowIndex) {
            const Id first = emit_.times(row, matrix_.fragment.columns.count());
            eachOn(Dimension::kColumns, control, [&](Id column, Id columnIndex) {
                const Id number = emit_.addU32(first, column);
                const auto element = [&](size_t i) { return matrices.at(i).load(number); };
                matrices.at(0).store(number, called(rowIndex, columnIndex, element));
            });
        });
        matrices.at(0).whole(call_.result);
    }

    // body(local, index): the local number, and the row or column of the matrix.
    void eachOn(Dimension d, spv::LoopControlMask control,
                const std::function<void(Id local, Id index)>& body) {
        const Axis& axis = matrix_.fragment.axis(d);
        const Id lane = writer_.laneOn(matrix_, d);
        const auto at = [&](Id local) { body(local, indexOfValue(emit_, axis, lane, local)); };
        if (axis.count() == 1) return at(emit_.constant(0));
        writer_.loop(axis.count(), at, control);
    }

    const Instruction& call_;
    const MatrixType& matrix_;
    const Instruction& functionType_;
};

}  // namespace

void lowerPerElement(MatrixContext& context, MatrixWriter& writer, const Instruction& call) {
    const MatrixType* matrix = context.matrix(call.type);
    if (const std::string_view what = problem(context, call, matrix); !what.empty()) {
        return context.invalid(call, what);
    }
    PerElement(context, writer, call, *matrix).run();
}

void lowerGetCoordinate(MatrixContext& context, MatrixWriter& writer, const Instruction& query) {
    const MatrixType* matrix = context.matrixOfValue(query.word(0));
    const TypeTable& types = context.types;
    if (matrix == nullptr || types.components(query.type) != 2 || types.width(query.type) != 32 ||
        !types.isInteger(query.type) || !types.isInteger(context.module.def(query.word(1)).type)) {
        return context.invalid(
            query, "takes a cooperative matrix and an integer, gives two 32-bit integers");
    }
    Emitter& emit = writer.emit();
    const Fragment& f = matrix->fragment;
    const Id index = emit.toU32(query.word(1));
    const Id scalar = context.types.scalarOf(query.type);
    const auto coordinate = [&](Dimension d, Id local) {
        const Id lane = writer.laneOn(*matrix, d);
        return emit.bitcast(scalar, indexOfValue(emit, f.axis(d), lane, local));
    };
    const bool byColumns = f.numbersByColumns();
    const uint32_t length = byColumns ? f.rows.count() : f.columns.count();
    const Id line = emit.over(index, length), inLine = emit.modulo(index, length);
    const Id localRow = byColumns ? inLine : line, localColumn = byColumns ? line : inLine;
    const Id ids[] = {coordinate(Dimension::kRows, localRow),
                      coordinate(Dimension::kColumns, localColumn)};
    emit.construct(query.type, ids, query.result);
}

}  // namespace coopvk::rewrite
