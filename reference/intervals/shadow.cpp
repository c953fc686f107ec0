// SPDX-License-Identifier: Apache-2.0
//
// Intervals as what travels beside values.
#include "execution/shadow.hpp"

#include "intervals/arithmetic.hpp"
#include "intervals/memory.hpp"
#include "intervals/transfer.hpp"
#include "matrices/matrix.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference {
namespace {

using matrices::Matrix;
using matrices::SumRule;
using numbers::decodeDouble;

// What other orders and roundings of the sums may give: nothing else of integers.
class Freedom {
 public:
    Freedom(const Matrix& a, const Matrix& b, const Matrix& c, const SumRule& rule)
        : a_(a), b_(b), c_(c), rule_(rule) {
        deviates_ = deviates(a) || deviates(b);
        if (const auto unit = sumModel(rule.order, a.number, rule.result))
            bits_ = uint32_t(std::min(unit->bits, 53));
        bits_ = std::min(bits_, uint32_t{numbers::format(rule.result).mantissaBits} + 1);
    }
    Deviation of(uint32_t row, uint32_t column, uint64_t sum) const {
        const bool isFloat = numbers::format(rule_.result).floating();
        const Element& addend = c_.at(row, column);
        if (!isFloat && !deviates_) return addend.deviation != 0 ? kUndecided : 0;
        if (!isFloat) return kUndecided;
        if (isUnknown(addend.deviation)) return addend.deviation;
        const size_t element = size_t(row) * c_.columns + column;
        SumBounds bounds(rule_.result, bits_);
        bounds.add(intervalOf(addend.deviation, c_.number, addend.bits));
        SumBounds all = rule_.before != nullptr ? (*rule_.before)[element] : bounds;
        for (uint32_t k = 0; k < a_.columns; ++k) {
            const Element &x = a_.at(row, k), &y = b_.at(k, column);
            if (x.deviation == 0 && y.deviation == 0) {
                const double p = decodeDouble(a_.number, x.bits),
                             q = decodeDouble(b_.number, y.bits);
                bounds.addProduct(p, q);
                all.addProduct(p, q);
                continue;
            }
            if (isUnknown(x.deviation)) return x.deviation;
            if (isUnknown(y.deviation)) return y.deviation;
            // Inputs of vectors may keep what their interpretation lacks.
            const Interval p = unroundedOf(x.deviation, a_.number, x.bits),
                           q = unroundedOf(y.deviation, b_.number, y.bits);
            bounds.addProduct(p, q);
            all.addProduct(p, q);
        }
        Interval set = bounds.result();
        if (rule_.before != nullptr) set.unite(all.result());
        if (rule_.after != nullptr) (*rule_.after)[element] = all;
        return deviationOf(rule_.result, sum, set);
    }

 private:
    static bool deviates(const Matrix& matrix) {
        return std::ranges::any_of(matrix.elements,
                                   [](const Element& e) { return e.deviation != 0; });
    }

    const Matrix &a_, &b_, &c_;
    const SumRule& rule_;
    bool deviates_ = false;
    uint32_t bits_ = 53;
};

class IntervalShadow final : public Shadow {
 public:
    explicit IntervalShadow(Intervals& all) : all_(all) {}

    Step execute(Subgroup& s) override { return intervals::execute(s); }
    Deviation read(const Subgroup&, uint32_t, const Deviation* from, uint64_t, uint32_t,
                   uint32_t bits) override {
        return intervals::readDeviation(all_, from, (bits + 7) / 8);
    }
    void write(const Subgroup&, uint32_t, Deviation* to, const std::byte* data, uint32_t,
               uint32_t bits, Deviation deviation) override {
        intervals::writeDeviation(all_, to, data, (bits + 7) / 8, deviation);
    }
    void noteOperand(const Subgroup& s, const Type& scalar, const Value& value, uint32_t lane,
                     AtomicAccess& access) override {
        intervals::noteOperand(s, scalar, value, lane, access);
    }
    Deviation afterAtomic(Deviation* memory, const std::byte* data, uint32_t size,
                          const AtomicAccess& access, uint64_t before) override {
        return intervals::afterAtomic(all_, memory, data, size, access, before);
    }
    Deviation converted(const Element& from, numbers::Number number,
                        const numbers::Conversion& conversion, uint64_t bits) override {
        return intervals::converted(from, number, conversion, bits);
    }
    Deviation converted(const Element& from, numbers::Number number, numbers::Number interpretation,
                        const numbers::Conversion&, uint64_t bits) override {
        return intervals::convertedInput(from, number, interpretation, bits);
    }
    Deviation regrouped(std::span<const Element> elements, uint32_t, uint32_t, uint32_t) override {
        const bool deviates =
            std::ranges::any_of(elements, [](const Element& e) { return e.deviation != 0; });
        return deviates ? kUndecided : 0;
    }
    void multiply(const Matrix& a, const Matrix& b, const Matrix& c, const SumRule& rule,
                  Matrix& result) override {
        const Freedom freedom(a, b, c, rule);
        for (uint32_t row = 0; row < result.rows; ++row)
            for (uint32_t column = 0; column < result.columns; ++column) {
                Element& element = result.at(row, column);
                element.deviation = freedom.of(row, column, element.bits);
            }
    }

 private:
    Intervals& all_;
};

}  // namespace

std::unique_ptr<Shadow> makeShadow(const Settings& settings) {
    if (settings.intervals != nullptr) return std::make_unique<IntervalShadow>(*settings.intervals);
    if (settings.symbols != nullptr) return symbols::makeSymbolShadow(*settings.symbols);
    return nullptr;
}

}  // namespace coopvk::reference
