// SPDX-License-Identifier: Apache-2.0
//
// Reductions of matrices, and which results another order may give.
#include "execution/shadow.hpp"
#include "matrices/cooperation.hpp"

namespace coopvk::reference::matrices {
namespace {

// The opcode, in the table, of a function that is one instruction on its two parameters, maybe in
// f32 with conversions around it, or in a function that it calls; 0: it is none.
uint32_t operationOf(const Program& program, const Function& function) {
    if (function.blocks.size() != 1 || function.parameters.size() != 2) return 0;
    const std::vector<Instruction>& body = function.blocks[0].instructions;
    if (body.back().opcode != OpReturnValue) return 0;
    const auto isConversion = [](const Instruction& i) { return i.opcode == OpFConvert; };
    const auto operation = std::ranges::find_if_not(body, isConversion);
    if (std::ranges::count_if(body, isConversion) + 2 != std::ptrdiff_t(body.size())) return 0;
    // What a conversion converted, or the value itself.
    const auto source = [&](uint32_t slot) {
        const auto by = std::ranges::find(body, slot, &Instruction::result);
        return by != body.end() && isConversion(*by) ? (*by)[0].slot : slot;
    };
    if (source(body.back()[0].slot) != operation->result) return 0;
    for (const uint32_t parameter : function.parameters)
        if (std::ranges::count(operation->operands, parameter,
                               [&](const Operand& o) { return source(o.slot); }) != 1)
            return 0;
    const bool isInSingle =
        scalarOf(*operation->type).width == 32 && scalarOf(*body[body.size() - 2].type).width < 32;
    if (body.size() > 2 && !isInSingle) return 0;
    const Function* called =
        operation->opcode == OpFunctionCall ? program.function((*operation)[0].word) : nullptr;
    return called != nullptr ? operationOf(program, *called) : operation->row->opcode;
}

// These choose one of their operands, whatever the order.
constexpr uint32_t kChoices[] = {numberIn(GLSLstd450FMin), numberIn(GLSLstd450FMax),
                                 numberIn(GLSLstd450NMin), numberIn(GLSLstd450NMax)};

// The bounds of each element, if a reduction adds: in any order.
void setBounds(Subgroup& s, const Matrix& from, Matrix& result) {
    const uint32_t mode = s.word(1);
    const auto boundsAt = [&](uint32_t r, uint32_t c) {
        SumBounds sum(from.number);
        Deviation unknown = 0;
        forReduced(from, mode, r, c, [&](const Element& element) {
            sum.add(intervalOf(element.deviation, from.number, element.bits));
            if (isUnknown(element.deviation)) unknown = element.deviation;
        });
        return unknown != 0 ? unknown
                            : deviationOf(from.number, result.at(r, c).bits, sum.result());
    };
    for (uint32_t r = 0; r < result.rows; ++r)
        for (uint32_t c = 0; c < result.columns; ++c) {
            // The first element of those that are the same.
            const uint32_t row = mode & kReduceColumn ? 0 : r, column = mode & kReduceRow ? 0 : c;
            const bool isFirst = row == r && column == c;
            result.at(r, c).deviation = isFirst ? boundsAt(r, c) : result.at(row, column).deviation;
        }
}

constexpr auto kWhyUnknown = "a reduction by a function that does more than add or choose";
void setUnknown(Subgroup& s, Matrix& result) {
    for (Element& element : result.elements) element.deviation = s.intervals->unknown(kWhyUnknown);
}

// Nothing is known of elements that another order changes.
void setUnknown(Subgroup& s, const Matrix& other, Matrix& result) {
    for (size_t e = 0; e < result.elements.size(); ++e)
        if (result.elements[e].bits != other.elements[e].bits ||
            result.elements[e].deviation != other.elements[e].deviation)
            result.elements[e].deviation = s.intervals->unknown(kWhyUnknown);
}

// The function of a reduction: each call of it combines as many pairs as lanes are active.
class Combination {
 public:
    Combination(Subgroup& s, const Function& function)
        : s_(s),
          function_(function),
          arguments_{OwnValue(*s.type().element, s.lanes, s.shadow != nullptr),
                     OwnValue(*s.type().element, s.lanes, s.shadow != nullptr)} {}

    void operator()(std::span<Element> left, std::span<const Element> right) {
        for (size_t next = 0; next < left.size() && going_;) {
            const size_t first = next;
            LaneMask mask;
            s_.mask.forEach([&](uint32_t lane) {
                if (next == left.size()) return;
                mask.set(lane);
                arguments_[0].set(0, lane, left[next]);
                arguments_[1].set(0, lane, right[next++]);
            });
            const Value arguments[] = {arguments_[0], arguments_[1]};
            going_ = callFunction(s_, function_, arguments, mask);
            next = first;
            mask.forEach([&](uint32_t lane) {
                const Element got = s_.values[function_.result].get(0, lane);
                note(got, left[next], right[next]);
                left[next++] = got;
            });
        }
    }

    bool goesOn() const { return going_; }
    // Each call so far gave the larger number of two, or each the smaller one: so does any order.
    bool chooses() const { return isLarger_ || isSmaller_; }

 private:
    void note(const Element& got, const Element& left, const Element& right) {
        if (s_.intervals == nullptr || s_.type().element->kind != Kind::kFloat) return;
        const auto value = [&](const Element& e) {
            return numbers::decodeDouble(numberOf(*s_.type().element), e.bits);
        };
        const double a = value(left), b = value(right), result = value(got);
        isLarger_ &= !std::isnan(a + b) && result == std::max(a, b);
        isSmaller_ &= !std::isnan(a + b) && result == std::min(a, b);
    }

    Subgroup& s_;
    const Function& function_;
    OwnValue arguments_[2];
    bool going_ = true, isLarger_ = true, isSmaller_ = true;
};

}  // namespace

std::optional<Matrix> reduceMatrix(Subgroup& s) {
    const Function* function = s.program->function(s.word(2));
    if (function == nullptr) return std::nullopt;
    Combination combination(s, *function);
    const SumRule rule = sumRule(s, Number::f32);
    const Matrix whole = gather(s, s.slot(0));
    const auto inOrder = [&](const ReduceOrder& order) {
        return reduce(whole, s.word(1), s.type().rows, s.type().columns, order,
                      std::ref(combination));
    };
    Matrix result =
        inOrder({rule.order != Choice::kPlain && rule.order <= Choice::kExact, rule.seed});
    if (s.intervals != nullptr && combination.goesOn()) {
        const uint32_t operation = operationOf(*s.program, *function);
        if (operation == numberIn(OpFAdd)) {
            setBounds(s, whole, result);
        } else {
            const bool isFloat = s.type().element->kind == Kind::kFloat;
            const bool chooses = combination.chooses() ||
                                 std::ranges::find(kChoices, operation) != std::end(kChoices);
            if (isFloat && !chooses) setUnknown(s, result);
            for (const ReduceOrder& other : {ReduceOrder{false}, {true, ~rule.seed}})
                setUnknown(s, inOrder(other), result);
        }
    }
    const auto both = s.shadow != nullptr ? s.shadow->placeholders(whole.number) : std::nullopt;
    if (both) {
        Element combined = (*both)[0];
        combination({&combined, 1}, {&(*both)[1], 1});
        s.shadow->reduce(whole, s.word(1), combined, result);
    }
    if (!combination.goesOn()) return std::nullopt;
    return result;
}

}  // namespace coopvk::reference::matrices
