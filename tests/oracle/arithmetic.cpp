// SPDX-License-Identifier: Apache-2.0
#include "arithmetic.hpp"

namespace coopvk::oracle {
namespace {

// The distance between the two numbers nearest to this one: below a power of two they are closer.
Real unitInLastPlace(const Format& format, const Real& exact) {
    const bool isPower = exact.magnitudeOf() == Real(1).scaled(exact.exponent());
    const Real below = isPower ? exact.scaled(-1) : exact;
    return unitAt(format, below);
}

// A number of the format that is at most so many units in the last place from the exact one.
Real within(const Format& format, int halfUnits, const Real& exact, Random& random) {
    if (!exact.isFinite() || exact.isZero()) return exact;
    const Real error = Real(halfUnits).scaled(-1) * unitInLastPlace(format, exact);
    const uint64_t end = random() % 4;
    const Real part = quotient(Real::integer(int64_t(random() % 2001) - 1000), Real(1000));
    const Real value = exact + (end == 0 ? error : end == 1 ? -error : part * error);
    if (round(format, value).isInfinite()) return Real::infinity(value.isNegative());
    return round(format, value, value < exact ? Direction::kUp : Direction::kDown);
}

// 2.5 ULP, if the divisor is neither tiny nor huge.
Real divided(const Format& format, const Real& a, const Real& b, Random& random) {
    const Real exact = quotient(a, b);
    if (!b.isFinite() || b.isZero()) return round(format, exact);
    const bool isInRange = b.exponent() >= 1 - format.most && b.exponent() < format.most - 1;
    return isInRange ? within(format, 5, exact, random) : round(format, exact);
}

Real inverseRoot(const Real& a) { return quotient(Real(1), squareRoot(a)); }

Real either(const Real& a, const Real& b, bool least, Random* random) {
    if (a.isNan() || b.isNan()) {
        if (random == nullptr) return a.isNan() ? b : a;
        return (*random)() % 2 == 0 ? a : b;
    }
    return (a < b) == least ? a : b;
}

}  // namespace

Terms termsOf(std::span<const Real> operands) {
    Terms terms;
    const size_t count = operands.size() / 2;
    for (size_t k = 0; k < count; ++k)
        terms.products.emplace_back(operands[k], operands[count + k]);
    if (operands.size() % 2 != 0) terms.addends.push_back(operands.back());
    return terms;
}

const char* opcodeOf(Operation operation) {
    constexpr const char* kNames[] = {
        "",     "OpFAdd ", "OpFSub ",     "OpFMul ",    "OpFDiv ",
        "Fma",  "Sqrt",    "InverseSqrt", "OpFNegate ", "FAbs",
        "FMin", "FMax",    "OpFConvert ", "OpDot ",     "OpCooperativeMatrixMulAddKHR "};
    return kNames[int(operation)];
}

bool isCorrectlyRounded(Operation operation) {
    switch (operation) {
        case Operation::kDivide:
        case Operation::kFma:
        case Operation::kSquareRoot:
        case Operation::kInverseSquareRoot:
        case Operation::kDot:
        case Operation::kProduct:
            return false;
        default:
            return true;
    }
}

Real nearest(const Format& format, Operation operation, std::span<const Real> o) {
    switch (operation) {
        case Operation::kLoad:
        case Operation::kConvert:
            return round(format, o[0]);
        case Operation::kAdd:
            return round(format, o[0] + o[1]);
        case Operation::kSubtract:
            return round(format, o[0] - o[1]);
        case Operation::kMultiply:
            return round(format, o[0] * o[1]);
        case Operation::kDivide:
            return round(format, quotient(o[0], o[1]));
        case Operation::kFma:
            return round(format, o[0] * o[1] + o[2]);
        case Operation::kSquareRoot:
            return round(format, squareRoot(o[0]));
        case Operation::kInverseSquareRoot:
            return round(format, inverseRoot(o[0]));
        case Operation::kNegate:
            return -o[0];
        case Operation::kAbsolute:
            return o[0].magnitudeOf();
        case Operation::kLeast:
            return either(o[0], o[1], true, nullptr);
        case Operation::kMost:
            return either(o[0], o[1], false, nullptr);
        case Operation::kDot:
        case Operation::kProduct:
            break;
    }
    return round(format, exactSum(termsOf(o)));
}

Real anyOf(const Format& format, Operation operation, std::span<const Real> o, Random& random) {
    switch (operation) {
        case Operation::kDivide:
            return divided(format, o[0], o[1], random);
        case Operation::kFma:
            if (random() % 2 == 0) break;
            return round(format, round(format, o[0] * o[1]) + o[2]);
        case Operation::kInverseSquareRoot:
            return within(format, 4, inverseRoot(o[0]), random);
        case Operation::kSquareRoot: {
            const Real inverse = within(format, 4, inverseRoot(o[0]), random);
            return divided(format, Real(1), round(format, inverse), random);
        }
        case Operation::kLeast:
            return either(o[0], o[1], true, &random);
        case Operation::kMost:
            return either(o[0], o[1], false, &random);
        case Operation::kDot:
        case Operation::kProduct:
            return sampled(format, termsOf(o), random);
        default:
            break;
    }
    return nearest(format, operation, o);
}

}  // namespace coopvk::oracle
