// SPDX-License-Identifier: Apache-2.0
//
// Instructions that call functions for elements: reductions and per-element operations.
#include "matrices/callbacks.hpp"

#include "execution/opcode_table.hpp"
#include "matrices/cooperation.hpp"
#include "matrices/reduction.hpp"

namespace coopvk::reference::matrices {
namespace {

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
        const Value arguments[] = {left_, right_};
        LaneMask mask;
        size_t next = 0;
        subgroup_.mask.forEach([&](uint32_t lane) {
            if (next == left.size()) return;
            mask.set(lane);
            set(arguments[0], lane, left[next]);
            set(arguments[1], lane, right[next++]);
        });
        going_ = callFunction(subgroup_, function_, arguments, mask);
        if (!going_) return;
        const Value result = subgroup_.value(function_.result);
        next = 0;
        mask.forEach(
            [&](uint32_t lane) { left[next++] = {result.at(0, lane), result.isDefined(0, lane)}; });
    }
    static void set(const Value& value, uint32_t lane, const Element& element) {
        value.at(0, lane) = element.bits;
        value.defined[0].assign(lane, element.defined);
    }

    Subgroup& subgroup_;
    const Function& function_;
    OwnValue left_, right_;
    bool going_ = true;
};

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixReduceNV
Step reduceMatrix(Subgroup& s, const Instruction& i) {
    if (const auto step = meet(s, i, *i.type)) return *step;
    const Function* function = functionOf(s, i[2]);
    if (function == nullptr) return Step::kStop;
    FunctionCombiner combiner(s, *function, *i.type->element);
    const ReduceOrder order{s.group->settings->sums != Choice::kPlain, seedOf(s, i)};
    const Matrix result =
        reduce(gather(s, i[0].slot), i[1].word, i.type->rows, i.type->columns, order, combiner);
    if (!combiner.going()) return Step::kStop;
    scatter(s, i.result, result);
    return Step::kNext;
}

// The arguments of a call for component `c` of the matrix: row, column, element, and further
// operands, of matrices their elements.
std::vector<Value> elementArguments(Subgroup& s, const Instruction& i, uint32_t c, Value row,
                                    Value column) {
    const auto part = [&](uint32_t operand) {
        const Value value = s.operand(i, operand);
        const bool matrix = value.type->kind == Kind::kCooperativeMatrix;
        return matrix ? value.part(*value.type->element, c) : value;
    };
    std::vector<Value> arguments{row, column, part(0)};
    for (uint32_t operand = 2; operand < i.operands.size(); ++operand) {
        arguments.push_back(part(operand));
    }
    return arguments;
}

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixPerElementOpNV: "The calls are considered
// unordered".
Step perElement(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Function* function = functionOf(s, i[1]);
    if (function == nullptr || function->parameters.size() < 3) return Step::kStop;
    const Placement placement = placementOf(s, *i.type);
    const Value result = s.result(i);
    OwnValue rows(parameterType(s, *function, 0), s.lanes);
    OwnValue columns(parameterType(s, *function, 1), s.lanes);
    const Value row = rows, column = columns;
    // The operand and the result may share their place, a call's result has its own.
    for (uint32_t c = 0; c < i.type->components; ++c) {
        LaneMask mask;
        forLanes(s, [&](uint32_t lane) {
            const Position p = placement.position(invocationOf(s, *i.type, lane), c);
            if (!p.exists) return;
            mask.set(lane);
            row.at(0, lane) = p.row;
            column.at(0, lane) = p.column;
        });
        const auto arguments = elementArguments(s, i, c, row, column);
        if (mask.any() && !callFunction(s, *function, arguments, mask)) return Step::kStop;
        const Value returned = s.value(function->result);
        forLanes(s, [&](uint32_t lane) {
            result.at(c, lane) = mask.test(lane) ? returned.at(0, lane) : 0;
            result.defined[c].assign(lane, !mask.test(lane) || returned.isDefined(0, lane));
        });
    }
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpCooperativeMatrixReduceNV, reduceMatrix),
    row(spv::Op::OpCooperativeMatrixPerElementOpNV, perElement),
};

}  // namespace

}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::callbackRows() { return matrices::kRows; }
