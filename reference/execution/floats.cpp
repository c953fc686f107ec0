// SPDX-License-Identifier: Apache-2.0
//
// Floating-point numbers: arithmetic (SPIR-V, 3.52.13; precision: Vulkan, "Precision of Individual
// Operations"), comparisons and classes (3.52.15), and GLSL.std.450. Trigonometry, exponentials and
// roots are computed in double and rounded, which is far within Vulkan's "Precision of GLSL.std.450
// Instructions".
#include <cmath>
#include <numbers>

#include "execution/opcode_table.hpp"

namespace coopvk::reference {
namespace {

using namespace operations;

// The sign of the second operand.
constexpr auto modulo = [](auto a, auto b) {
    const auto rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
};

// The sign bit changes, also of NaN; nothing rounds.
Step negate(Subgroup& s, const Instruction& i) {
    const uint64_t sign = uint64_t{1} << (scalarOf(*i.type).width - 1);
    return mapComponents<1>(s, i, [&](uint64_t bits) { return bits ^ sign; });
}

// SPV_KHR_cooperative_matrix allows it for matrices of integers, too.
Step matrixTimesScalar(Subgroup& s, const Instruction& i) {
    const bool isFloat = scalarOf(*i.type).kind == Kind::kFloat;
    return isFloat ? onFloats<multiply>(s, i) : onUnsigned<multiply>(s, i);
}

// Ordered: false if an operand is NaN. Unordered: true.
template <auto kOp>
constexpr Handler ordered =
    fromFloats<[](auto a, auto b) { return !std::isunordered(a, b) && kOp(a, b); }>;
template <auto kOp>
constexpr Handler unordered =
    fromFloats<[](auto a, auto b) { return std::isunordered(a, b) || kOp(a, b); }>;
constexpr auto always = [](auto, auto) { return true; };
constexpr auto never = [](auto, auto) { return false; };

// A number that is neither 0, denormal, infinity nor NaN in its own format.
Step isNormal(Subgroup& s, const Instruction& i) {
    const numbers::Format& format = numbers::format(numberOf(scalarOf(*s.operand(i, 0).type)));
    const uint64_t exponent = lowBits(format.exponentBits);
    return mapComponents<1>(s, i, [&](uint64_t bits) {
        const uint64_t at = (bits >> format.mantissaBits) & exponent;
        return at != 0 && at != exponent;
    });
}

// Whole numbers below 2^53 and their halves are exact.
constexpr auto roundEven = [](auto a) {
    const auto below = std::floor(a);
    const auto rest = a - below;
    const bool up = rest > 0.5f || (rest == 0.5f && std::fmod(below, decltype(a){2}) != 0);
    return std::copysign(up ? below + 1 : below, a);
};
constexpr auto clamp = [](auto a, auto low, auto high) {
    return std::fmin(std::fmax(a, low), high);
};
constexpr auto smoothStep = [](auto low, auto high, auto a) {
    const auto t = clamp((a - low) / (high - low), decltype(a){0}, decltype(a){1});
    return t * t * (3 - 2 * t);
};
// A product and a sum in one rounding. The product of two halves is exact in float.
constexpr auto fusedMultiplyAdd = [](auto a, auto b, auto c) { return std::fma(a, b, c); };

// Operands: significand, exponent.
Step loadExponent(Subgroup& s, const Instruction& i) {
    const uint32_t width = scalarOf(*s.operand(i, 1).type).width;
    return withFormat(*s.program, scalarOf(*i.type), [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        return mapComponents<2>(s, i, [&](uint64_t bits, uint64_t exponent) {
            const int64_t by = std::clamp<int64_t>(signExtend(exponent, width), -10000, 10000);
            return format.to(Compute(std::ldexp(format.from(bits), int(by))));
        });
    });
}

constexpr OpcodeRow kFloatRows[] = {
    each(OpFAdd, onFloats<add>),
    each(OpFSub, onFloats<subtract>),
    each(OpFMul, onFloats<multiply>),
    each(OpFDiv, onFloats<[](auto a, auto b) { return a / b; }>),
    each(OpFRem, onFloats<[](auto a, auto b) { return std::fmod(a, b); }>),
    each(OpFMod, onFloats<modulo>),
    each(OpFNegate, negate),
    each(OpFmaKHR, onFloats<fusedMultiplyAdd>),
    each(OpVectorTimesScalar, onFloats<multiply>),
    each(OpMatrixTimesScalar, matrixTimesScalar),
    each(OpQuantizeToF16, onFloats<[](auto a) {  // denormals become 0
             const auto half = double(_Float16(a));
             return std::fabs(half) < 0x1p-14 ? std::copysign(0.0, half) : half;
         }>),

    each(OpFOrdEqual, ordered<equal>),
    each(OpFOrdNotEqual, ordered<notEqual>),
    each(OpLessOrGreater, ordered<notEqual>),
    each(OpFOrdLessThan, ordered<less>),
    each(OpFOrdLessThanEqual, ordered<lessEqual>),
    each(OpFOrdGreaterThan, ordered<greater>),
    each(OpFOrdGreaterThanEqual, ordered<greaterEqual>),
    each(OpOrdered, ordered<always>),
    each(OpUnordered, unordered<never>),
    each(OpFUnordEqual, unordered<equal>),
    each(OpFUnordNotEqual, unordered<notEqual>),
    each(OpFUnordLessThan, unordered<less>),
    each(OpFUnordLessThanEqual, unordered<lessEqual>),
    each(OpFUnordGreaterThan, unordered<greater>),
    each(OpFUnordGreaterThanEqual, unordered<greaterEqual>),
    each(OpIsNan, fromFloats<[](auto a) { return std::isnan(a); }>),
    each(OpIsInf, fromFloats<[](auto a) { return std::isinf(a); }>),
    each(OpIsFinite, fromFloats<[](auto a) { return std::isfinite(a); }>),
    each(OpIsNormal, isNormal),
    each(OpSignBitSet, onBits<[](uint32_t width, uint64_t bits) { return bits >> (width - 1); }>),

    each(GLSLstd450Round, onFloats<[](auto a) { return std::round(a); }>),
    each(GLSLstd450RoundEven, onFloats<roundEven>),
    each(GLSLstd450Trunc, onFloats<[](auto a) { return std::trunc(a); }>),
    each(GLSLstd450FAbs, onFloats<[](auto a) { return std::fabs(a); }>),
    each(GLSLstd450FSign, onFloats<[](auto a) { return a > 0   ? 1
                                                       : a < 0 ? -1
                                                               : a; }>),
    each(GLSLstd450Floor, onFloats<[](auto a) { return std::floor(a); }>),
    each(GLSLstd450Ceil, onFloats<[](auto a) { return std::ceil(a); }>),
    each(GLSLstd450Fract, onFloats<[](auto a) { return a - std::floor(a); }>),
    each(GLSLstd450FMin, onFloats<leastFloat>),
    each(GLSLstd450FMax, onFloats<mostFloat>),
    each(GLSLstd450NMin, onFloats<leastFloat>),
    each(GLSLstd450NMax, onFloats<mostFloat>),
    each(GLSLstd450FClamp, onFloats<clamp>),
    each(GLSLstd450NClamp, onFloats<clamp>),
    each(GLSLstd450FMix, onFloats<[](auto a, auto b, auto by) { return a * (1 - by) + b * by; }>),
    each(GLSLstd450Step, onFloats<[](auto edge, auto a) { return a < edge ? 0 : 1; }>),
    each(GLSLstd450SmoothStep, onFloats<smoothStep>),
    each(GLSLstd450Fma, onFloats<fusedMultiplyAdd>),
    each(GLSLstd450Radians, onDoubles<[](double a) { return a * std::numbers::pi / 180; }>),
    each(GLSLstd450Degrees, onDoubles<[](double a) { return a * 180 / std::numbers::pi; }>),
    each(GLSLstd450Sin, onDoubles<[](double a) { return std::sin(a); }>),
    each(GLSLstd450Cos, onDoubles<[](double a) { return std::cos(a); }>),
    each(GLSLstd450Tan, onDoubles<[](double a) { return std::tan(a); }>),
    each(GLSLstd450Asin, onDoubles<[](double a) { return std::asin(a); }>),
    each(GLSLstd450Acos, onDoubles<[](double a) { return std::acos(a); }>),
    each(GLSLstd450Atan, onDoubles<[](double a) { return std::atan(a); }>),
    each(GLSLstd450Sinh, onDoubles<[](double a) { return std::sinh(a); }>),
    each(GLSLstd450Cosh, onDoubles<[](double a) { return std::cosh(a); }>),
    each(GLSLstd450Tanh, onDoubles<[](double a) { return std::tanh(a); }>),
    each(GLSLstd450Asinh, onDoubles<[](double a) { return std::asinh(a); }>),
    each(GLSLstd450Acosh, onDoubles<[](double a) { return std::acosh(a); }>),
    each(GLSLstd450Atanh, onDoubles<[](double a) { return std::atanh(a); }>),
    each(GLSLstd450Atan2, onDoubles<[](double y, double x) { return std::atan2(y, x); }>),
    each(GLSLstd450Pow, onDoubles<[](double a, double b) { return std::pow(a, b); }>),
    each(GLSLstd450Exp, onDoubles<[](double a) { return std::exp(a); }>),
    each(GLSLstd450Log, onDoubles<[](double a) { return std::log(a); }>),
    each(GLSLstd450Exp2, onDoubles<[](double a) { return std::exp2(a); }>),
    each(GLSLstd450Log2, onDoubles<[](double a) { return std::log2(a); }>),
    each(GLSLstd450Sqrt, onDoubles<[](double a) { return std::sqrt(a); }>),
    each(GLSLstd450InverseSqrt, onDoubles<[](double a) { return 1 / std::sqrt(a); }>),
    each(GLSLstd450Ldexp, loadExponent),
};

}  // namespace

Rows floatRows() { return kFloatRows; }

}  // namespace coopvk::reference
