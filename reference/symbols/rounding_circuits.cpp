// SPDX-License-Identifier: Apache-2.0
//
// Floats in circuits: classes, conversions, sums that round.
#include "execution/opcode_table.hpp"
#include "symbols/circuits.hpp"

namespace coopvk::reference::symbols {

bool hasCircuit(const Conversion& c) {
    const numbers::Format &from = numbers::format(c.from), &to = numbers::format(c.to);
    return from.floating() && to.floating() && from.specials == numbers::Specials::ieee &&
           from.hasSign() && to.hasSign() && to.specials != numbers::Specials::none &&
           from.bias >= to.bias && from.mantissaBits > to.mantissaBits && from.bits <= 32 &&
           c.rule.rounding == numbers::Rounding::nearestEven && !c.rule.flushOperand &&
           !c.rule.flushResult;
}

namespace {

// Rounded to nearest even: formats.hpp says what the fields of both formats are.
class Rounding {
 public:
    Rounding(Diagrams& d, const Conversion& c)
        : d_(d),
          from_(numbers::format(c.from)),
          to_(numbers::format(c.to)),
          saturates_(c.rule.toFloat == numbers::Overflow::saturate) {}

    Bits of(const Bits& bits) {
        const Bits mantissa = slice(bits, 0, from_.mantissaBits);
        const Bits exponent = slice(bits, from_.mantissaBits, from_.exponentBits);
        const uint32_t most = (1u << from_.exponentBits) - 1;
        Bits result = special(mantissa);
        for (uint32_t e = 0; e < most; ++e)
            result = d_.choose(d_.equal(exponent, Diagrams::constant(e, exponent.size())),
                               finite(e, mantissa), result);
        result.push_back(bits.back());
        return result;
    }

 private:
    size_t width() const { return to_.bits - 1u; }
    uint64_t infinity() const {
        const uint64_t ones = numbers::lowBits(to_.exponentBits + to_.mantissaBits);
        return to_.specials == numbers::Specials::ieee ? ones & ~numbers::lowBits(to_.mantissaBits)
                                                       : ones;
    }
    Bits special(const Bits& mantissa) {
        const Bits nan = Diagrams::constant(numbers::lowBits(uint32_t(width())), width());
        return d_.choose(d_.any(mantissa), nan, overflow());
    }
    Bits overflow() { return Diagrams::constant(infinity() - (saturates_ ? 1 : 0), width()); }

    Bits finite(uint32_t e, const Bits& mantissa) {
        Bits significand = mantissa;
        significand.push_back(e != 0 ? kTrue : kFalse);
        const int value = int(std::max(e, 1u)) - from_.bias;
        const int lowest = 1 - to_.bias;
        if (value > (1 << to_.exponentBits) - 1 - to_.bias) return overflow();
        const int by = from_.mantissaBits - to_.mantissaBits + std::max(lowest - value, 0);
        const auto size = int(significand.size());
        Bits kept = by < size ? slice(significand, size_t(by), size_t(size - by)) : Bits{};
        kept.resize(width() + 1, kFalse);
        const Bit half = by <= size ? significand[size_t(by - 1)] : kFalse;
        const Bit rest = d_.any(slice(significand, 0, size_t(std::min(by - 1, size))));
        const Bit up = d_.both(half, d_.either(rest, kept[0]));
        // The hidden bit adds 1 to the exponent.
        const uint64_t field = value < lowest ? 0 : uint64_t(value - lowest);
        const Bits base = Diagrams::constant(field << to_.mantissaBits, kept.size());
        const Bits sum = d_.add(kept, base, up);
        const Bit fits = d_.less(sum, Diagrams::constant(infinity(), sum.size()));
        return d_.choose(fits, slice(sum, 0, width()), overflow());
    }

    Diagrams& d_;
    const numbers::Format &from_, &to_;
    bool saturates_;
};

}  // namespace

Bits roundedBits(Diagrams& diagrams, const Conversion& conversion, const Bits& bits) {
    return Rounding(diagrams, conversion).of(bits);
}

Bit isNan(Diagrams& d, const Bits& bits, const numbers::Format& f) {
    if (f.specials == numbers::Specials::none) return kFalse;
    const Bits exponent = slice(bits, f.mantissaBits, f.exponentBits);
    const Bits mantissa = slice(bits, 0, f.mantissaBits);
    const Bit top = d.negate(d.any(d.negate(exponent)));
    const Bit rest = f.specials == numbers::Specials::ieee ? d.any(mantissa)
                                                           : d.negate(d.any(d.negate(mantissa)));
    return d.both(top, rest);
}

bool addsPower(const Terms& terms, TermId term) {
    const Function& f = terms.functionOf(term);
    if (f.opcode != numberIn(OpFAdd) || f.type().width != 32) return false;
    const FloatControls& controls = f.program->controls(f.type());
    if (controls.rounding != numbers::Rounding::nearestEven || controls.flushDenorms) return false;
    constexpr uint64_t kInfinity = 0x7F800000;
    const auto isPower = [&](uint32_t n) {
        const auto bits = terms.constantOf(terms.operand(term, n));
        return bits && (*bits & numbers::lowBits(23)) == 0 && *bits != 0 && *bits < kInfinity;
    };
    const auto isPositive = [&](uint32_t n) {
        const TermId number = terms.operand(term, n);
        const Piece last = terms.pieces(number).back();
        return !terms.constantOf(number) && last.isConstant() && last.first == 0;
    };
    return (isPower(0) && isPositive(1)) || (isPower(1) && isPositive(0));
}

// Rounded to nearest even where the number is smaller than the power; else anything.
Bits Circuits::addedPower(TermId term, bool isRewritten) {
    constexpr size_t kMantissa = 23, kExponent = 8;
    Diagrams& d = diagrams_;
    const bool isFirst = terms_.constantOf(terms_.operand(term, 0)).has_value();
    const uint64_t power = *terms_.constantOf(terms_.operand(term, isFirst ? 0 : 1));
    const Bits number = bitsOf(terms_.operand(term, isFirst ? 1 : 0), isRewritten);
    const Bits exponent = slice(number, kMantissa, kExponent);
    const auto top = uint32_t(power >> kMantissa);
    Bits sum = anyBits(number.size());
    for (uint32_t e = 0; e < top; ++e) {
        Bits significand = slice(number, 0, kMantissa);
        significand.push_back(e != 0 ? kTrue : kFalse);
        const size_t by = std::min<size_t>(top - std::max(e, 1u), kMantissa + 2);
        Bits kept = by <= kMantissa ? slice(significand, by, kMantissa + 1 - by) : Bits{};
        kept.resize(number.size(), kFalse);
        Bit up = kFalse;
        if (by > 0) {
            const Bit half = by <= kMantissa + 1 ? significand[by - 1] : kFalse;
            const Bit rest = d.any(slice(significand, 0, std::min(by - 1, kMantissa + 1)));
            up = d.both(half, d.either(rest, kept[0]));
        }
        const Bits all = d.add(Diagrams::constant(power, number.size()), kept, up);
        sum = d.choose(d.equal(exponent, Diagrams::constant(e, kExponent)), all, sum);
    }
    return sum;
}

}  // namespace coopvk::reference::symbols
