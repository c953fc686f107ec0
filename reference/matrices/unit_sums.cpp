// SPDX-License-Identifier: Apache-2.0
#include "coopvk_reference/unit_sums.hpp"

#include <algorithm>
#include <cstdlib>

#include "numbers/exact.hpp"

namespace coopvk::reference {
namespace {

using numbers::Exact;
using numbers::Number;

// Facts of "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix Cores" (arXiv
// 2511.10909) and of its public tables; those of rdna4 are an assumption, and those of 8-bit floats
// on Hopper were read on an H200.
struct UnitRow {
    Choice unit;
    uint32_t factorBits;
    Number result;
    SumModel model;
};
constexpr UnitRow kUnitRows[] = {
    // Twice as many bytes of a row at once as an Ampere: 16. 8-bit floats have few bits.
    {Choice::kAda, 16, Number::f32, {8, 24, true, 23, -132}},
    {Choice::kAda, 16, Number::f16, {8, 24, false, 10, -132}},
    {Choice::kAda, 8, Number::f32, {16, 13, true, 13, -132}},
    {Choice::kAda, 8, Number::f16, {16, 13, false, 10, -132}},
    // The instructions of a warp convert 8-bit floats to f16, two of a word at once: so two
    // products
    // of f16, each with half of every word, and an addition.
    {Choice::kHopper, 16, Number::f32, {16, 25, true, 23, -133}},
    {Choice::kHopper, 16, Number::f16, {16, 25, false, 10, -133}},
    {Choice::kHopper, 8, Number::f32, {16, 25, true, 23, -133, Stages::kPairsApart}},
    {Choice::kHopper, 8, Number::f16, {16, 25, false, 10, -133, Stages::kPairsApart}},
    {Choice::kCdna3, 16, Number::f32, {8, 24, false, 23, -999, Stages::kProductsFirst}},
    {Choice::kCdna3, 8, Number::f32, {16, 24, false, 23, -999, Stages::kHalvesFirst}},
    // Nobody has published what RDNA 4 does. As its dot products of two: rounded once.
    {Choice::kRdna4, 16, Number::f32, {2, kAllBits}},
    {Choice::kRdna4, 16, Number::f16, {2, kAllBits}},
    {Choice::kRdna4, 8, Number::f32, {2, kAllBits}},
};

// Of a step: significand * 2^unit; of a product the exponent is the sum of both exponents.
struct Term {
    bool negative;
    int32_t exponent, unit;
    uint64_t significand;
};

enum class Dropped : uint8_t { towardZero, down };

// In units of 2^unit; at most 2^62, since terms keep few bits below the largest exponent.
int64_t inUnits(const Term& term, int32_t unit, Dropped dropped) {
    const int32_t shift = term.unit - unit;
    const int32_t lost = std::min(std::max(-shift, 0), 63);
    const uint64_t magnitude = term.significand << std::max(shift, 0) >> lost;
    const bool hasRest = shift < 0 && (magnitude << lost) != term.significand;
    const auto units = int64_t(magnitude);
    if (!term.negative) return units;
    return -units - (dropped == Dropped::down && hasRest ? 1 : 0);
}

Term termOf(int64_t units, int32_t unit) { return {units < 0, 0, unit, uint64_t(std::abs(units))}; }

int32_t topExponent(const Term& term) {
    return term.unit + int32_t(std::bit_width(term.significand)) - 1;
}

// Infinities and NaN of the products and the sum, as IEEE 754 says. All NaN have the same bits.
struct NonFinite {
    bool isNan = false, positive = false, negative = false;

    void add(bool isNegative) { (isNegative ? negative : positive) = true; }
    std::optional<uint64_t> result(Number number) const {
        const numbers::Format& f = numbers::format(number);
        if (isNan || (positive && negative)) return f.mask() >> 1;
        if (!positive && !negative) return std::nullopt;
        return numbers::encode(number, {numbers::Kind::infinity, negative});
    }
};

class UnitAdder {
 public:
    UnitAdder(const SumModel& model, Number result) : model_(model), result_(result) {}

    uint64_t add(std::span<const Factor> a, std::span<const Factor> b, uint64_t sum) {
        terms_.clear();
        nonFinite_ = {};
        if (model_.bits == kAllBits) return addExactly(a, b, sum);
        for (size_t k = 0; k < a.size(); ++k) multiply(a[k], b[k]);
        const Factor before = factorOf(result_, sum);
        nonFinite_.isNan |= before.isNan;
        if (before.isInfinite) nonFinite_.add(before.negative);
        if (const auto special = nonFinite_.result(result_)) return *special;
        const Term addend{before.negative, before.exponent, before.unit, before.significand};
        if (model_.stages == Stages::kProductsFirst || model_.stages == Stages::kHalvesFirst)
            return addInStages(addend);
        terms_.push_back(addend);
        if (addend.significand == 0) terms_.back().exponent = model_.zeroExponent;
        return rounded(align(0, 1));
    }

 private:
    void multiply(const Factor& a, const Factor& b) {
        const bool negative = a.negative != b.negative;
        const bool isInfinite = a.isInfinite || b.isInfinite;
        const auto isZero = [](const Factor& o) { return !o.isInfinite && o.significand == 0; };
        nonFinite_.isNan |= a.isNan || b.isNan || (isInfinite && (isZero(a) || isZero(b)));
        if (isInfinite) return nonFinite_.add(negative);
        Term term{negative, a.exponent + b.exponent, a.unit + b.unit,
                  a.significand * b.significand};
        if (term.significand == 0) term.exponent = model_.zeroExponent;
        // Units that add the products apart give each the range of f32.
        if (model_.stages == Stages::kProductsFirst && topExponent(term) >= 128)
            nonFinite_.add(negative);
        terms_.push_back(term);
    }

    // The sum of the terms `first`, `first` + `step`, ...
    Term align(size_t first, size_t step) const {
        int32_t largest = terms_[first].exponent;
        for (size_t i = first; i < terms_.size(); i += step)
            largest = std::max(largest, terms_[i].exponent);
        const int32_t unit = largest - model_.bits;
        int64_t units = 0;
        for (size_t i = first; i < terms_.size(); i += step)
            units +=
                inUnits(terms_[i], unit, model_.dropsDown ? Dropped::down : Dropped::towardZero);
        return termOf(units, unit);
    }

    static Term sumOf(const Term& a, const Term& b) {
        const int32_t unit = std::max(a.unit, b.unit);
        return termOf(inUnits(a, unit, Dropped::down) + inUnits(b, unit, Dropped::down), unit);
    }

    // AMD's CDNA 3: bits that a later stage drops are dropped downwards.
    uint64_t addInStages(const Term& addend) const {
        constexpr int32_t kKept = 31;  // bits below a sum's first, before it is rounded
        const bool hasHalves = model_.stages == Stages::kHalvesFirst && terms_.size() > 1;
        const Term products = hasHalves ? sumOf(align(0, 2), align(1, 2)) : align(0, 1);
        const int32_t largest = std::max(products.unit + model_.bits, addend.exponent);
        const int32_t last = largest - kKept - 1;
        int64_t sum = inUnits(products, last, Dropped::down);
        // MMA-Sim's source: with 8-bit floats a sum that is so small borrows nothing.
        const bool isDropped =
            model_.stages == Stages::kHalvesFirst && addend.exponent < largest - model_.bits - 1;
        if (!isDropped)
            sum += inUnits(addend, largest - model_.bits, Dropped::down) *
                   (int64_t{1} << (kKept + 1 - model_.bits));
        const Term whole = termOf(sum, last);
        const int32_t smallest = std::max(topExponent(whole), 1 - numbers::format(result_).bias);
        const int32_t kept = std::max(smallest - kKept, last);
        return rounded(termOf(inUnits(whole, kept, Dropped::down), kept));
    }

    uint64_t addExactly(std::span<const Factor> a, std::span<const Factor> b, uint64_t sum) {
        const auto exact = [](const Factor& o) {
            const numbers::Kind kind = o.isNan        ? numbers::Kind::nan
                                       : o.isInfinite ? numbers::Kind::infinity
                                                      : numbers::Kind::finite;
            return Exact{kind, o.negative, false, o.unit, o.significand};
        };
        numbers::ExactSum exactSum;
        for (size_t k = 0; k < a.size(); ++k) exactSum.addProduct(exact(a[k]), exact(b[k]));
        exactSum.add(numbers::decode(result_, sum));
        return numbers::encode(result_, exactSum.value());
    }

    uint64_t rounded(Term sum) const {
        if (model_.cuts && sum.significand != 0) {
            const int32_t smallest = 1 - numbers::format(result_).bias;
            const int32_t last = std::max(topExponent(sum), smallest) - model_.mantissa;
            if (last > sum.unit) {
                const int32_t lost = std::min(last - sum.unit, 63);
                sum.significand = sum.significand >> lost << lost;
            }
        }
        // What becomes zero is positive (read on an H200, f16).
        const numbers::Format& f = numbers::format(result_);
        const uint64_t bits = numbers::encode(
            result_, {numbers::Kind::finite, sum.negative, false, sum.unit, sum.significand});
        return (bits & f.mask() >> 1) == 0 ? 0 : bits;
    }

    const SumModel& model_;
    const Number result_;
    std::vector<Term> terms_;
    NonFinite nonFinite_;
};

}  // namespace

Factor factorOf(Number number, uint64_t bits) {
    const Exact value = numbers::decode(number, bits);
    return {value.kind == numbers::Kind::nan,
            value.kind == numbers::Kind::infinity,
            value.negative,
            value.exponent + int32_t(numbers::format(number).mantissaBits),
            value.exponent,
            value.significand};
}

namespace {

// Twice `block` products, or what is left of them.
uint64_t addPairs(UnitAdder& adder, std::span<const Factor> a, std::span<const Factor> b,
                  uint64_t sum, Number result) {
    uint64_t products = 0;
    for (const size_t half : {0u, 2u}) {
        std::vector<Factor> x, y;
        for (size_t k = 0; k < a.size(); ++k) {
            if (k % 4 / 2 * 2 != half) continue;
            x.push_back(a[k]);
            y.push_back(b[k]);
        }
        products = adder.add(x, y, products);
    }
    numbers::ExactSum both;
    both.add(numbers::decode(result, products));
    both.add(numbers::decode(result, sum));
    const Exact value = both.value();
    return value.kind == numbers::Kind::nan ? numbers::format(result).mask() >> 1
                                            : numbers::encode(result, value);
}

}  // namespace

uint64_t addProducts(const SumModel& model, std::span<const Factor> a, std::span<const Factor> b,
                     uint64_t sum, Number result) {
    const Number held = model.inSingle ? Number::f32 : result;
    if (held != result) sum = numbers::encode(held, numbers::decode(result, sum));
    UnitAdder adder(model, held);
    const bool isApart = model.stages == Stages::kPairsApart;
    const size_t block = model.block == 0 ? a.size() : model.block * (isApart ? 2 : 1);
    for (size_t k = 0; k < a.size(); k += block) {
        const size_t count = std::min(block, a.size() - k);
        const auto x = a.subspan(k, count), y = b.subspan(k, count);
        sum = isApart ? addPairs(adder, x, y, sum, held) : adder.add(x, y, sum);
    }
    return held == result ? sum : numbers::encode(result, numbers::decode(held, sum));
}

const SumUnit* findUnit(std::string_view name) {
    const auto* found = std::ranges::find(kSumUnits, name, &SumUnit::name);
    return found == std::end(kSumUnits) ? nullptr : found;
}

std::vector<std::string> unitNames() {
    std::vector<std::string> names;
    for (const SumUnit& unit : kSumUnits) names.emplace_back(unit.name);
    return names;
}

std::optional<SumModel> sumModel(Choice unit, Number factor, Number result) {
    for (const UnitRow& row : kUnitRows)
        if (row.unit == unit && row.factorBits == numbers::format(factor).bits &&
            row.result == result)
            return row.model;
    return std::nullopt;
}

}  // namespace coopvk::reference
