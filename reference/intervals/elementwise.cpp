// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic and GLSL.std.450, element by element. Errors: Vulkan, "Precision of Individual
// Operations". "Inherited from" is the formula, on intervals.
#include "intervals/elements.hpp"
#include "intervals/transfer.hpp"

namespace coopvk::reference::intervals {

using numbers::Number;

namespace {

struct Operands {
    Number number;  // of the result
    const Interval* each;
    const Instruction& at;

    const Interval& operator[](size_t n) const { return each[n]; }
};

Interval withinAbsolute(double error, const Interval& exact) {
    return widened(exact, [=](double) { return error; });
}
bool isHalf(Number number) { return number != Number::f32 && number != Number::f64; }

Interval point(double value) { return Interval::of(value); }

Interval exponential(const Interval& a, Number n, Function function) {
    const double most = std::max(std::abs(a.low), std::abs(a.high));
    const double units = (isHalf(n) ? 1 : 3) + 2 * (a.hasFinite() ? most : 0);
    return within(units, monotone(a, function), n);
}
Interval exp2Of(const Interval& a, Number n) {
    return exponential(a, n, [](double x) { return std::exp2(x); });
}
Interval expOf(const Interval& a, Number n) {
    return exponential(a, n, [](double x) { return std::exp(x); });
}
Interval logarithm(const Interval& a, Number n, Function function) {
    const Interval exact = within(3, monotone(a, function), n);
    const bool isNearOne = a.high >= 0.5 && a.low <= 2;
    return isNearOne ? withinAbsolute(isHalf(n) ? 0x1p-7 : 0x1p-21, exact) : exact;
}
Interval log2Of(const Interval& a, Number n) {
    return logarithm(a, n, [](double x) { return std::log2(x); });
}
Interval logOf(const Interval& a, Number n) {
    return logarithm(a, n, [](double x) { return std::log(x); });
}

// Sine and cosine change no faster than their operand.
Interval wave(const Interval& a, Number n, Function function) {
    if (hasSpecial(a)) return Interval::all();
    const double width = a.high - a.low, error = isHalf(n) ? 0x1p-7 : 0x1p-11;
    Interval result = Interval::between(-1, 1);
    if (width < 2) {
        const double at = function(a.low);
        result = Interval::between(std::max(at - width, -1.0), std::min(at + width, 1.0));
    }
    return withinAbsolute(error, result);
}
Interval sine(const Interval& a, Number n) {
    return wave(a, n, [](double x) { return std::sin(x); });
}
Interval cosine(const Interval& a, Number n) {
    return wave(a, n, [](double x) { return std::cos(x); });
}
Interval arcTangent(const Interval& y, const Interval& x, Number n) {
    Interval result;
    if (x.low <= 0 && y.low <= 0 && y.high >= 0)
        result = Interval::between(-M_PI, M_PI);  // across the cut
    for (const double dy : {y.low, y.high})
        for (const double dx : {x.low, x.high}) result.add(std::atan2(dy, dx));
    if (hasSpecial(y) || hasSpecial(x)) result.unite(Interval::between(-M_PI, M_PI));
    result.nan = y.nan || x.nan;
    return within(isHalf(n) ? 5 : 4096, result, n);
}
Interval sinhOf(const Interval& a, Number n) {
    return product(difference(expOf(a, n), expOf(negate(a), n), n), point(0.5), n);
}
Interval coshOf(const Interval& a, Number n) {
    return product(sum(expOf(a, n), expOf(negate(a), n), n), point(0.5), n);
}
Interval squarePlus(const Interval& a, double addend, Number n) {
    return sum(step(monotone(a, [](double x) { return x * x; }), n), point(addend), n);
}

double least(double x, double y) { return std::fmin(x, y); }
double most(double x, double y) { return std::fmax(x, y); }

// Of a number and NaN the number is the result, or either may be.
enum class OfNan { kNumber, kEither };
template <Function2 kFunction, OfNan kOfNan = OfNan::kEither>
Interval ofTwo(const Interval& a, const Interval& b) {
    Interval result = monotone(a, b, kFunction);
    if (a.nan) result.unite(b);
    if (b.nan) result.unite(a);
    result.nan = kOfNan == OfNan::kNumber ? a.nan && b.nan : a.nan || b.nan;
    return result;
}
template <OfNan kOfNan = OfNan::kEither>
Interval clamped(const Interval& a, const Interval& low, const Interval& high) {
    return ofTwo<least, kOfNan>(ofTwo<most, kOfNan>(a, low), high);
}
Interval mixed(const Interval& a, const Interval& b, const Interval& by, Number n) {
    return add(product(a, difference(point(1), by, n), n), product(b, by, n));
}
Interval smoothed(const Operands& o) {
    const Number n = o.number;
    const Interval ratio = quotient(difference(o[2], o[0], n), difference(o[1], o[0], n), n);
    const Interval t = clamped(ratio, point(0), point(1));
    return multiply(product(t, t, n), difference(point(3), product(point(2), t, n), n));
}
Interval remainder(const Operands& o, Function towards) {
    const Interval parts = monotone(quotient(o[0], o[1], o.number), towards);
    Interval result = subtract(o[0], product(o[1], parts, o.number));
    if (hasSpecial(parts)) result = Interval::all();
    return result;
}
// By a power of 2, whose exponent is the second operand.
Interval scaledBy(const Interval& a, const Interval& exponent) {
    constexpr double kMost = 0x1p1023;
    const int by = int(std::clamp(exponent.low, -10000.0, 10000.0));
    Interval result = a;
    if (!a.hasFinite()) return result;
    result.low = std::clamp(std::ldexp(a.low, by), -kMost, kMost);
    result.high = std::clamp(std::ldexp(a.high, by), -kMost, kMost);
    return result;
}
double wholeBelow(double x) { return std::floor(x); }
double wholeAbove(double x) { return std::ceil(x); }
double wholeInside(double x) { return std::trunc(x); }
double nearest(double x) { return std::round(x); }
double nearestEven(double x) { return std::nearbyint(x); }

// Where a product that is not rounded yet stays so: in operands of sums, and behind a negation.
enum class Unrounded { kNowhere, kOperands, kResult };

// The result's components from those of the operands; one of a component counts for all.
using Of = Interval (*)(const Operands&);
constexpr uint32_t kMostOperands = 3;
void eachComponent(const Transferred& t, uint32_t count, Of of, Unrounded unrounded) {
    const Value& result = t.result();
    const Number number = numberOf(scalarOf(*result.type));
    const FloatControls& controls = t.s.program->controls(scalarOf(*result.type));
    const bool isUnrounded =
        unrounded == Unrounded::kResult || (t.at.contracts && unrounded == Unrounded::kNowhere);
    for (uint32_t c = 0; c < result.components(); ++c) {
        t.mask.forEach([&](uint32_t lane) {
            Interval operands[kMostOperands];
            Deviation any = 0;
            for (uint32_t n = 0; n < count; ++n) {
                const Value& operand = t.operand(n);
                const uint32_t component = operand.components() > 1 ? c : 0;
                const Deviation deviation = operand.deviationAt(component, lane);
                if (any == 0 || isUnknown(deviation)) any = deviation != 0 ? deviation : any;
                const auto from = unrounded == Unrounded::kNowhere ? intervalOf : unroundedOf;
                operands[n] =
                    from(deviation, numberOf(scalarOf(*operand.type)), operand.at(component, lane));
            }
            const bool isFixed =
                any == 0 && !t.at.contracts && t.s.intervals->functions() == Functions::kAsHere;
            if (isFixed || isUnknown(any)) return result.setDeviation(c, lane, any);
            const Interval exact = of({number, operands, t.at});
            Interval set = rounded(exact, number);
            if (isUnrounded && !hasSpecial(exact)) set.unite(exact);
            if (controls.rounding != numbers::Rounding::nearestEven)
                set = rounded(within(1, set, number), number);
            if (controls.flushDenorms && set.low < 1 && set.high > -1) set.add(0);
            result.setDeviation(c, lane, deviationOf(number, result.at(c, lane), set));
        });
    }
}
template <uint32_t kCount, auto kOf, Unrounded kUnrounded = Unrounded::kNowhere>
void each(const Transferred& t) {
    static_assert(kCount <= kMostOperands);
    eachComponent(t, kCount, kOf, kUnrounded);
}
template <auto kOf>
constexpr TransferRow row1(auto opcode) {
    return {numberIn(opcode), each<1, kOf>};
}
template <auto kOf>
constexpr TransferRow row2(auto opcode) {
    return {numberIn(opcode), each<2, kOf>};
}
template <auto kOf>
constexpr TransferRow row3(auto opcode) {
    return {numberIn(opcode), each<3, kOf>};
}
template <uint32_t kCount, auto kOf>
constexpr TransferRow sumRow(auto opcode) {
    return {numberIn(opcode), each<kCount, kOf, Unrounded::kOperands>};
}
template <Function kFunction>
constexpr auto rising = [](const Operands& o) { return monotone(o[0], kFunction); };
constexpr auto productOf = [](const Operands& o) { return multiply(o[0], o[1]); };
constexpr auto fused = [](const Operands& o) {
    Interval exact = multiply(numbersIn(o[0], o.number), numbersIn(o[1], o.number));
    if (o.at.negatesProduct) exact = negate(exact);
    const Interval addend = o.at.negatesAddend ? negate(o[2]) : o[2];
    Interval result = add(exact, addend);
    result.unite(add(rounded(exact, o.number), addend));
    return result;
};
constexpr auto clampOf = [](const Operands& o) { return clamped(o[0], o[1], o[2]); };

constexpr TransferRow kElementwiseRows[] = {
    sumRow<2, [](const Operands& o) { return add(o[0], o[1]); }>(OpFAdd),
    sumRow<2, [](const Operands& o) { return subtract(o[0], o[1]); }>(OpFSub),
    row2<productOf>(OpFMul),
    row2<productOf>(OpVectorTimesScalar),
    row2<productOf>(OpMatrixTimesScalar),
    row2<[](const Operands& o) { return quotient(o[0], o[1], o.number); }>(OpFDiv),
    row2<[](const Operands& o) { return remainder(o, wholeInside); }>(OpFRem),
    row2<[](const Operands& o) { return remainder(o, wholeBelow); }>(OpFMod),
    {numberIn(OpFNegate),
     each<1, [](const Operands& o) { return negate(o[0]); }, Unrounded::kResult>},
    sumRow<3, fused>(OpFmaKHR),
    sumRow<3, fused>(GLSLstd450Fma),
    row1<rising<nearest>>(GLSLstd450Round),
    row1<rising<nearestEven>>(GLSLstd450RoundEven),
    row1<rising<wholeInside>>(GLSLstd450Trunc),
    row1<rising<wholeBelow>>(GLSLstd450Floor),
    row1<rising<wholeAbove>>(GLSLstd450Ceil),
    row1<rising<[](double x) { return std::fabs(x); }>>(GLSLstd450FAbs),
    row1<[](const Operands& o) {
        Interval result = monotone(o[0], [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; });
        if (o[0].nan) result.unite(Interval::between(-1, 1));
        return result;
    }>(GLSLstd450FSign),
    row1<[](const Operands& o) {
        const bool isOne = std::floor(o[0].low) == std::floor(o[0].high);
        return isOne ? subtract(o[0], point(std::floor(o[0].low))) : Interval::between(0, 1);
    }>(GLSLstd450Fract),
    row2<[](const Operands& o) { return ofTwo<least>(o[0], o[1]); }>(GLSLstd450FMin),
    row2<[](const Operands& o) { return ofTwo<most>(o[0], o[1]); }>(GLSLstd450FMax),
    row2<[](const Operands& o) { return ofTwo<least, OfNan::kNumber>(o[0], o[1]); }>(
        GLSLstd450NMin),
    row2<[](const Operands& o) { return ofTwo<most, OfNan::kNumber>(o[0], o[1]); }>(GLSLstd450NMax),
    row3<clampOf>(GLSLstd450FClamp),
    row3<[](const Operands& o) { return clamped<OfNan::kNumber>(o[0], o[1], o[2]); }>(
        GLSLstd450NClamp),
    row3<[](const Operands& o) { return mixed(o[0], o[1], o[2], o.number); }>(GLSLstd450FMix),
    row2<[](const Operands& o) {
        Interval result;
        if (o[1].low < o[0].high || o[0].nan || o[1].nan) result.add(0);
        if (o[1].high >= o[0].low) result.add(1);
        return hasSpecial(o[0]) || hasSpecial(o[1]) ? Interval::between(0, 1) : result;
    }>(GLSLstd450Step),
    row3<smoothed>(GLSLstd450SmoothStep),
    row1<[](const Operands& o) { return within(1, multiply(o[0], point(M_PI / 180)), o.number); }>(
        GLSLstd450Radians),
    row1<[](const Operands& o) { return within(1, multiply(o[0], point(180 / M_PI)), o.number); }>(
        GLSLstd450Degrees),
    row1<[](const Operands& o) { return sine(o[0], o.number); }>(GLSLstd450Sin),
    row1<[](const Operands& o) { return cosine(o[0], o.number); }>(GLSLstd450Cos),
    row1<[](const Operands& o) {
        return quotient(sine(o[0], o.number), cosine(o[0], o.number), o.number);
    }>(GLSLstd450Tan),
    row1<[](const Operands& o) { return arcTangent(o[0], point(1), o.number); }>(GLSLstd450Atan),
    row2<[](const Operands& o) { return arcTangent(o[0], o[1], o.number); }>(GLSLstd450Atan2),
    row1<[](const Operands& o) {
        const Interval other = negate(squarePlus(o[0], -1, o.number));
        return arcTangent(o[0], squareRoot(other, o.number), o.number);
    }>(GLSLstd450Asin),
    row1<[](const Operands& o) {
        const Interval other = negate(squarePlus(o[0], -1, o.number));
        return arcTangent(squareRoot(other, o.number), o[0], o.number);
    }>(GLSLstd450Acos),
    row1<[](const Operands& o) { return sinhOf(o[0], o.number); }>(GLSLstd450Sinh),
    row1<[](const Operands& o) { return coshOf(o[0], o.number); }>(GLSLstd450Cosh),
    row1<[](const Operands& o) {
        return quotient(sinhOf(o[0], o.number), coshOf(o[0], o.number), o.number);
    }>(GLSLstd450Tanh),
    row1<[](const Operands& o) {
        const Interval root = squareRoot(squarePlus(o[0], 1, o.number), o.number);
        return logOf(sum(o[0], root, o.number), o.number);
    }>(GLSLstd450Asinh),
    row1<[](const Operands& o) {
        const Interval root = squareRoot(squarePlus(o[0], -1, o.number), o.number);
        return logOf(sum(o[0], root, o.number), o.number);
    }>(GLSLstd450Acosh),
    row1<[](const Operands& o) {
        const Number n = o.number;
        const Interval ratio = quotient(sum(point(1), o[0], n), difference(point(1), o[0], n), n);
        return multiply(logOf(ratio, n), point(0.5));
    }>(GLSLstd450Atanh),
    row2<[](const Operands& o) {
        return exp2Of(product(o[1], log2Of(o[0], o.number), o.number), o.number);
    }>(GLSLstd450Pow),
    row1<[](const Operands& o) { return expOf(o[0], o.number); }>(GLSLstd450Exp),
    row1<[](const Operands& o) { return logOf(o[0], o.number); }>(GLSLstd450Log),
    row1<[](const Operands& o) { return exp2Of(o[0], o.number); }>(GLSLstd450Exp2),
    row1<[](const Operands& o) { return log2Of(o[0], o.number); }>(GLSLstd450Log2),
    row1<[](const Operands& o) { return squareRoot(o[0], o.number); }>(GLSLstd450Sqrt),
    row1<[](const Operands& o) { return inverseSqrt(o[0], o.number); }>(GLSLstd450InverseSqrt),
    row1<rising<[](double x) { return double(_Float16(x)); }>>(OpQuantizeToF16),
    row2<[](const Operands& o) { return scaledBy(o[0], o[1]); }>(GLSLstd450Ldexp),
};

}  // namespace

std::span<const TransferRow> elementwiseTransfers() { return kElementwiseRows; }

}  // namespace coopvk::reference::intervals
