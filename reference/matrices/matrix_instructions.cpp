// SPDX-License-Identifier: Apache-2.0
//
// Products, lengths, coordinates, conversions of use, transpositions, and instructions that call
// functions for elements.
#include "matrices/cooperation.hpp"

namespace coopvk::reference::matrices {
namespace {

using enum spv::Op;
using Operands = spv::CooperativeMatrixOperandsMask;

// OpCooperativeMatrixMulAddKHR: the operands say which integers are signed.
// SPV_NV_cooperative_matrix: the types do.
std::optional<Matrix> multiplyMatrices(Subgroup& s, const Instruction& i) {
    const uint32_t mask = i.operands.size() > 3 ? i[3].word : 0;
    const auto number = [&](const Type& matrix, Operands bit) {
        const bool byType = i.opcode == OpCooperativeMatrixMulAddNV;
        return numberOf(*matrix.element,
                        byType ? matrix.element->isSigned : (mask & uint32_t(bit)) != 0);
    };
    const auto operand = [&](uint32_t index, Operands bit) {
        return gather(s, i[index].slot, number(*s.operand(i, index).type, bit));
    };
    SumRule rule = sumRule(s, i, number(*i.type, Operands::MatrixResultSignedComponentsKHR));
    rule.saturate = (mask & uint32_t(Operands::SaturatingAccumulationKHR)) != 0;
    return multiplyAdd(operand(0, Operands::MatrixASignedComponentsKHR),
                       operand(1, Operands::MatrixBSignedComponentsKHR),
                       operand(2, Operands::MatrixCSignedComponentsKHR), rule);
}

// OpCooperativeMatrixLengthKHR: the operand is a type.
Step length(Subgroup& s, const Instruction& i) {
    const uint32_t components = s.program->typeOf.at(i[0].word)->components;
    const Value result = s.result(i);
    forLanes(s, [&](uint32_t lane) { result.at(0, lane) = components; });
    return Step::kNext;
}

// SPV_EXT_cooperative_matrix_maintenance1, OpCooperativeMatrixGetCoordinateEXT: row and column of a
// component of this invocation.
Step coordinate(Subgroup& s, const Instruction& i) {
    const Type& matrix = *s.operand(i, 0).type;
    const Placement placement = placementOf(s, matrix);
    const Value index = s.operand(i, 1), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        const uint64_t component = index.at(0, lane);
        Position p;
        if (component < matrix.components) {
            p = placement.position(invocationOf(s, matrix, lane), uint32_t(component));
        } else {
            s.report(kCheckBounds, i, lane,
                     "component " + std::to_string(component) + " of a matrix that has " +
                         std::to_string(matrix.components) + " in an invocation");
        }
        const bool defined = p.exists && index.isDefined(0, lane);
        setElement(result, 0, lane, {p.row, defined});
        setElement(result, 1, lane, {p.column, defined});
    });
    return Step::kNext;
}

// OpCooperativeMatrixConvertNV (ConvertUseEXT): the same components in another use; transposed with
// the decoration CooperativeMatrixTransposeEXT. OpCooperativeMatrixTransposeNV does not say that
// the component types are the same: it converts them. SPV_NV_cooperative_matrix2, "Conversion
// Instructions": component type and use change at once.
std::optional<Matrix> changeUse(Subgroup& s, const Instruction& i) {
    Matrix matrix = convert(gather(s, i[0].slot), conversionOf(*s.program, i));
    return i.transposes || i.opcode == OpCooperativeMatrixTransposeNV ? transpose(matrix) : matrix;
}

// Calls CombineFunc, in each call for as many pairs as lanes are active.
class FunctionCombiner final : public Combiner {
 public:
    FunctionCombiner(Subgroup& subgroup, const Function& function, const Type& component)
        : subgroup_(subgroup),
          function_(function),
          left_(component, subgroup.lanes),
          right_(component, subgroup.lanes) {}

    void combine(std::span<Element> left, std::span<const Element> right) override {
        const uint32_t lanes = subgroup_.mask.count();
        for (size_t first = 0; first < left.size() && going_; first += lanes) {
            const size_t count = std::min<size_t>(lanes, left.size() - first);
            call(left.subspan(first, count), right.subspan(first, count));
        }
    }
    bool going() const { return going_; }

 private:
    void call(std::span<Element> left, std::span<const Element> right) {
        LaneMask mask;
        size_t next = 0;
        subgroup_.mask.forEach([&](uint32_t lane) {
            if (next == left.size()) return;
            mask.set(lane);
            setElement(left_, 0, lane, left[next]);
            setElement(right_, 0, lane, right[next++]);
        });
        const Value arguments[] = {left_, right_};
        going_ = callFunction(subgroup_, function_, arguments, mask);
        next = 0;
        const Value result = subgroup_.value(function_.result);
        mask.forEach([&](uint32_t lane) { left[next++] = elementAt(result, 0, lane); });
    }

    Subgroup& subgroup_;
    const Function& function_;
    OwnValue left_, right_;
    bool going_ = true;
};

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixReduceNV
std::optional<Matrix> reduceMatrix(Subgroup& s, const Instruction& i) {
    const Function* function = functionOf(s, i[2]);
    if (function == nullptr) return std::nullopt;
    FunctionCombiner combiner(s, *function, *i.type->element);
    const ReduceOrder order{s.group->settings->sums != Choice::kPlain, seedOf(s, i)};
    Matrix result =
        reduce(gather(s, i[0].slot), i[1].word, i.type->rows, i.type->columns, order, combiner);
    if (!combiner.going()) return std::nullopt;
    return result;
}

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixPerElementOpNV: "The calls are considered
// unordered". The arguments: row, column, element, and further operands, of matrices their
// elements.
Step perElement(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Function* function = functionOf(s, i[1]);
    if (function == nullptr || function->parameters.size() < 3) return Step::kStop;
    const Placement placement = placementOf(s, *i.type);
    const Value result = s.result(i);
    const OwnValue rows(parameterType(s, *function, 0), s.lanes);
    const OwnValue columns(parameterType(s, *function, 1), s.lanes);
    for (uint32_t c = 0; c < i.type->components; ++c) {
        LaneMask mask;
        forComponent(s, *i.type, placement, c, [&](uint32_t lane, const Position& p) {
            mask.assign(lane, p.exists);
            setElement(rows, 0, lane, {p.row});
            setElement(columns, 0, lane, {p.column});
        });
        std::vector<Value> arguments{rows, columns};
        for (uint32_t operand = 0; operand < i.operands.size(); ++operand) {
            if (operand == 1) continue;  // the function
            const Value value = s.operand(i, operand);
            const bool matrix = value.type->kind == Kind::kCooperativeMatrix;
            arguments.push_back(matrix ? value.part(*value.type->element, c) : value);
        }
        if (mask.any() && !callFunction(s, *function, arguments, mask)) return Step::kStop;
        const Value returned = s.value(function->result);
        forLanes(s, [&](uint32_t lane) {
            setElement(result, c, lane, mask.test(lane) ? elementAt(returned, 0, lane) : Element{});
        });
    }
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(OpCooperativeMatrixMulAddKHR, whole<multiplyMatrices>),
    row(OpCooperativeMatrixMulAddNV, whole<multiplyMatrices>),
    row(OpCooperativeMatrixLengthKHR, length, Defined::kAlways),
    row(OpCooperativeMatrixLengthNV, length, Defined::kAlways),
    row(OpCooperativeMatrixGetCoordinateEXT, coordinate),
    row(OpCooperativeMatrixConvertNV, whole<changeUse>),
    row(OpCooperativeMatrixTransposeNV, whole<changeUse>),
    row(OpCooperativeMatrixReduceNV, whole<reduceMatrix>),
    row(OpCooperativeMatrixPerElementOpNV, perElement),
};

}  // namespace
}  // namespace coopvk::reference::matrices

namespace coopvk::reference {

Rows matrixRows() { return matrices::kRows; }

Status prepareConversion(const Program& program, Instruction& i) {
    const bool changes = i.type->kind == Kind::kCooperativeMatrix &&
                         (program.slots[i[0].slot].type->use != i.type->use || i.transposes);
    if (changes) i.handler = matrices::whole<matrices::changeUse>;
    return Done{};
}

}  // namespace coopvk::reference
