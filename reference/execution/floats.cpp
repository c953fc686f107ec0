// SPDX-License-Identifier: Apache-2.0
//
// Floating-point numbers: arithmetic (SPIR-V, 3.52.13; precision: Vulkan, "Precision of Individual
// Operations"), comparisons and classes (3.52.15), and GLSL.std.450. Trigonometry, exponentials and
// roots are computed in double and rounded, which is far within Vulkan's "Precision of GLSL.std.450
// Instructions".
#include <numbers>

#include "execution/float_domains.hpp"
#include "execution/opcode_table.hpp"

namespace coopvk::reference {
namespace {

using namespace operations;
using namespace domains;

// The sign of the second operand.
constexpr auto modulo = [](auto a, auto b) {
    const auto rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
};

// The sign bit changes, also of NaN; nothing rounds.
void negate(Subgroup& s) {
    const Type& scalar = scalarOf(s.type());
    const uint64_t sign = uint64_t{1} << (scalar.width - 1);
    if (s.program->controls(scalar).flushDenorms)
        mapComponents<1>(s, [number = numberOf(scalar), sign](uint64_t bits) {
            return numbers::flushDenormal(number, bits) ^ sign;
        });
    else
        mapComponents<1>(s, [&](uint64_t bits) { return bits ^ sign; });
}

// SPV_KHR_cooperative_matrix allows it for matrices of integers, too.
void matrixTimesScalar(Subgroup& s) {
    const bool isFloat = scalarOf(s.type()).kind == Kind::kFloat;
    isFloat ? onFloats<multiply>(s) : onUnsigned<multiply>(s);
}

// What takes longer than a call, or is rare: in double for all formats.
template <auto kFunction>
void inDouble(Subgroup& s) {
    withFormat(*s.program, scalarOf(*s.operand(0).type),
               [&](auto format) { mapInDouble(s, format, +kFunction); });
}

// Ordered: false if an operand is NaN. Unordered: true.
template <auto kOp>
constexpr auto ordered =
    inDouble<[](double a, double b) { return !std::isunordered(a, b) && kOp(a, b); }>;
template <auto kOp>
constexpr auto unordered =
    inDouble<[](double a, double b) { return std::isunordered(a, b) || kOp(a, b); }>;

constexpr auto quantize = [](auto a) {  // denormals become 0
    const auto half = double(_Float16(a));
    return std::fabs(half) < 0x1p-14 ? std::copysign(0.0, half) : half;
};
// Of NaN any of the results: 0.
constexpr auto sign = [](auto a) {
    return a > 0 ? decltype(a){1} : a < 0 ? -decltype(a){1} : a == 0 ? a : decltype(a){0};
};
// Whole numbers below 2^53 and their halves are exact.
constexpr auto roundEven = [](auto a) {
    const auto below = std::floor(a);
    const auto rest = a - below;
    const bool up = rest > 0.5f || (rest == 0.5f && std::fmod(below, decltype(a){2}) != 0);
    return std::copysign(up ? below + 1 : below, a);
};
constexpr auto clamp = [](auto a, auto low, auto high) {
    return leastFloat(mostFloat(a, low), high);
};
constexpr auto smoothStep = [](auto low, auto high, auto a) {
    const auto t = clamp((a - low) / (high - low), decltype(a){0}, decltype(a){1});
    return t * t * (3 - 2 * t);
};
// A product and a sum in one rounding. Of halves in double: where the sum is halfway between two
// halves, or next to it, all its bits are within 53.
void fusedMultiplyAdd(Subgroup& s) {
    withFormat(*s.program, scalarOf(s.type()), [&](auto format) {
        using Format = decltype(format);
        const uint64_t signBit = uint64_t{1} << (scalarOf(s.type()).width - 1);
        const uint64_t ofProduct = s.at->negatesProduct ? signBit : 0;
        const uint64_t ofAddend = s.at->negatesAddend ? signBit : 0;
        mapComponents<3>(s, [&](uint64_t a, uint64_t b, uint64_t c) {
            a ^= ofProduct;
            c ^= ofAddend;
            if constexpr (std::is_same_v<Format, General>) {
                return format.multiplyAdd(a, b, c);
            } else {
                using Compute = typename Format::Compute;
                using Wide = std::conditional_t<std::is_same_v<Format, Half>, double, Compute>;
                const auto wide = [&](uint64_t bits) { return Wide(format.from(bits)); };
                const Wide sum = std::fma(wide(a), wide(b), wide(c));
                if constexpr (std::is_same_v<Format, Half>)
                    return numbers::encodeDouble(numbers::Number::f16, sum);
                else
                    return format.to(sum);
            }
        });
    });
}

// A product with "a correctly rounded approximation" (Vulkan, "Precision of GLSL.std.450
// Instructions").
template <auto kConstant>
void timesConstant(Subgroup& s) {
    withFormat(*s.program, scalarOf(s.type()), [&](auto format) {
        const auto factor = double(format.from(format.to(kConstant())));
        mapComponents<1>(
            s, [&](uint64_t bits) { return format.to(double(format.from(bits)) * factor); });
    });
}

// Operands: significand, exponent.
void loadExponent(Subgroup& s) {
    const uint32_t width = scalarOf(*s.operand(1).type).width;
    withFormat(*s.program, scalarOf(s.type()), [&](auto format) {
        mapComponents<2>(s, [&](uint64_t bits, uint64_t exponent) {
            const int64_t by = std::clamp<int64_t>(signExtend(exponent, width), -10000, 10000);
            return format.to(std::ldexp(format.from(bits), int(by)));
        });
    });
}

constexpr OpcodeRow kFloatRows[] = {
    each<onFloats<add>>(OpFAdd),
    each<onFloats<subtract>>(OpFSub),
    each<onFloats<multiply>>(OpFMul),
    each<onFloats<[](auto a, auto b) { return a / b; }>>(OpFDiv),
    each<onFloats<[](auto a, auto b) { return std::fmod(a, b); }>>(OpFRem),
    each<onFloats<modulo>>(OpFMod),
    each<negate>(OpFNegate),
    each<fusedMultiplyAdd>(OpFmaKHR),
    each<onFloats<multiply>>(OpVectorTimesScalar),
    each<matrixTimesScalar>(OpMatrixTimesScalar),
    each<onFloats<quantize>>(OpQuantizeToF16),

    each<ordered<equal>>(OpFOrdEqual),
    each<ordered<notEqual>>(OpFOrdNotEqual),
    each<ordered<less>>(OpFOrdLessThan),
    each<ordered<lessEqual>>(OpFOrdLessThanEqual),
    each<ordered<greater>>(OpFOrdGreaterThan),
    each<ordered<greaterEqual>>(OpFOrdGreaterThanEqual),
    each<unordered<equal>>(OpFUnordEqual),
    each<unordered<notEqual>>(OpFUnordNotEqual),
    each<unordered<less>>(OpFUnordLessThan),
    each<unordered<lessEqual>>(OpFUnordLessThanEqual),
    each<unordered<greater>>(OpFUnordGreaterThan),
    each<unordered<greaterEqual>>(OpFUnordGreaterThanEqual),
    each<inDouble<[](double a) { return std::isnan(a); }>>(OpIsNan),
    each<inDouble<[](double a) { return std::isinf(a); }>>(OpIsInf),

    each<onFloats<[](auto a) { return std::round(a); }>>(GLSLstd450Round),
    each<onFloats<roundEven>>(GLSLstd450RoundEven),
    each<onFloats<[](auto a) { return std::trunc(a); }>>(GLSLstd450Trunc),
    each<onFloats<[](auto a) { return std::fabs(a); }>>(GLSLstd450FAbs),
    each<onFloats<sign>>(GLSLstd450FSign),
    each<onFloats<[](auto a) { return std::floor(a); }>>(GLSLstd450Floor),
    each<onFloats<[](auto a) { return std::ceil(a); }>>(GLSLstd450Ceil),
    each<onFloats<[](auto a) { return a - std::floor(a); }>>(GLSLstd450Fract),
    each<maybeNan<2, onFloats<leastFloat>>>(GLSLstd450FMin),
    each<maybeNan<2, onFloats<mostFloat>>>(GLSLstd450FMax),
    each<onFloats<leastFloat>>(GLSLstd450NMin),
    each<onFloats<mostFloat>>(GLSLstd450NMax),
    each<within<noRange, maybeNan<3, onFloats<clamp>>>>(GLSLstd450FClamp),
    each<within<noRange, onFloats<clamp>>>(GLSLstd450NClamp),
    each<onFloats<[](auto a, auto b, auto by) { return a * (1 - by) + b * by; }>>(GLSLstd450FMix),
    each<onFloats<[](auto edge, auto a) { return a < edge ? 0 : 1; }>>(GLSLstd450Step),
    each<within<noEdges, onFloats<smoothStep>>>(GLSLstd450SmoothStep),
    each<fusedMultiplyAdd>(GLSLstd450Fma),
    each<timesConstant<[] { return std::numbers::pi / 180; }>>(GLSLstd450Radians),
    each<timesConstant<[] { return 180 / std::numbers::pi; }>>(GLSLstd450Degrees),
    each<inDouble<[](double a) { return std::sin(a); }>>(GLSLstd450Sin),
    each<inDouble<[](double a) { return std::cos(a); }>>(GLSLstd450Cos),
    each<inDouble<[](double a) { return std::tan(a); }>>(GLSLstd450Tan),
    each<within<aboveOne, inDouble<[](double a) { return std::asin(a); }>>>(GLSLstd450Asin),
    each<within<aboveOne, inDouble<[](double a) { return std::acos(a); }>>>(GLSLstd450Acos),
    each<inDouble<[](double a) { return std::atan(a); }>>(GLSLstd450Atan),
    each<inDouble<[](double a) { return std::sinh(a); }>>(GLSLstd450Sinh),
    each<inDouble<[](double a) { return std::cosh(a); }>>(GLSLstd450Cosh),
    each<inDouble<[](double a) { return std::tanh(a); }>>(GLSLstd450Tanh),
    each<inDouble<[](double a) { return std::asinh(a); }>>(GLSLstd450Asinh),
    each<within<belowOne, inDouble<[](double a) { return std::acosh(a); }>>>(GLSLstd450Acosh),
    each<within<oneOrMore, inDouble<[](double a) { return std::atanh(a); }>>>(GLSLstd450Atanh),
    each<within<bothZero, inDouble<[](double y, double x) { return std::atan2(y, x); }>>>(
        GLSLstd450Atan2),
    each<within<ofPower, inDouble<[](double a, double b) { return std::pow(a, b); }>>>(
        GLSLstd450Pow),
    each<inDouble<[](double a) { return std::exp(a); }>>(GLSLstd450Exp),
    each<within<notPositive, inDouble<[](double a) { return std::log(a); }>>>(GLSLstd450Log),
    each<inDouble<[](double a) { return std::exp2(a); }>>(GLSLstd450Exp2),
    each<within<notPositive, inDouble<[](double a) { return std::log2(a); }>>>(GLSLstd450Log2),
    each<within<negative, inDouble<[](double a) { return std::sqrt(a); }>>>(GLSLstd450Sqrt),
    each<within<notPositive, inDouble<[](double a) { return 1 / std::sqrt(a); }>>>(
        GLSLstd450InverseSqrt),
    each<within<tooLarge, loadExponent>>(GLSLstd450Ldexp),
};

}  // namespace

Rows floatRows() { return kFloatRows; }

}  // namespace coopvk::reference
