// SPDX-License-Identifier: Apache-2.0
//
// GLSL.std.450: rounding, minimum, maximum, interpolation.
#include <spirv/unified1/GLSL.std.450.h>

#include <cmath>

#include "execution/families.hpp"
#include "execution/map.hpp"

namespace coopvk::reference {

namespace {

template <auto kOp>
Step unary(Subgroup& s, const Instruction& i) {
    return mapFloats<1>(s, i, kOp);
}
template <auto kOp>
Step binary(Subgroup& s, const Instruction& i) {
    return mapFloats<2>(s, i, kOp);
}
template <auto kOp>
Step ternary(Subgroup& s, const Instruction& i) {
    return mapFloats<3>(s, i, kOp);
}

constexpr auto roundAway = [](auto a) { return std::round(a); };
// In double: whole numbers below 2^53 and their halves are exact.
constexpr auto roundEven = [](auto a) {
    const auto below = std::floor(a);
    const auto rest = a - below;
    if (rest < 0.5f) return std::copysign(below, a);
    if (rest > 0.5f) return std::copysign(below + 1, a);
    return std::copysign(std::fmod(below, decltype(a){2}) == 0 ? below : below + 1, a);
};
constexpr auto truncate = [](auto a) { return std::trunc(a); };
constexpr auto absolute = [](auto a) { return std::fabs(a); };
constexpr auto sign = [](auto a) { return a > 0 ? decltype(a){1} : a < 0 ? decltype(a){-1} : a; };
constexpr auto floorOf = [](auto a) { return std::floor(a); };
constexpr auto ceiling = [](auto a) { return std::ceil(a); };
constexpr auto fraction = [](auto a) { return a - std::floor(a); };
constexpr auto least = [](auto a, auto b) { return std::fmin(a, b); };
constexpr auto most = [](auto a, auto b) { return std::fmax(a, b); };
constexpr auto clamp = [](auto a, auto low, auto high) {
    return std::fmin(std::fmax(a, low), high);
};
constexpr auto mix = [](auto a, auto b, auto by) { return a * (1 - by) + b * by; };
constexpr auto step = [](auto edge, auto a) { return a < edge ? decltype(a){0} : decltype(a){1}; };
constexpr auto smoothStep = [](auto low, auto high, auto a) {
    const auto t = clamp((a - low) / (high - low), decltype(a){0}, decltype(a){1});
    return t * t * (3 - 2 * t);
};

// A product and a sum in one rounding. The product of two halves is exact in float.
Step fusedMultiplyAdd(Subgroup& s, const Instruction& i) {
    return mapFloats<3>(s, i, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
}

constexpr OpcodeRow glsl(uint32_t number, Handler handler) {
    return {number, handler, Defined::kComponentwise, nullptr};
}
constexpr OpcodeRow kRows[] = {
    glsl(GLSLstd450Round, unary<roundAway>),
    glsl(GLSLstd450RoundEven, unary<roundEven>),
    glsl(GLSLstd450Trunc, unary<truncate>),
    glsl(GLSLstd450FAbs, unary<absolute>),
    glsl(GLSLstd450FSign, unary<sign>),
    glsl(GLSLstd450Floor, unary<floorOf>),
    glsl(GLSLstd450Ceil, unary<ceiling>),
    glsl(GLSLstd450Fract, unary<fraction>),
    glsl(GLSLstd450FMin, binary<least>),
    glsl(GLSLstd450FMax, binary<most>),
    glsl(GLSLstd450NMin, binary<least>),
    glsl(GLSLstd450NMax, binary<most>),
    glsl(GLSLstd450FClamp, ternary<clamp>),
    glsl(GLSLstd450NClamp, ternary<clamp>),
    glsl(GLSLstd450FMix, ternary<mix>),
    glsl(GLSLstd450Step, binary<step>),
    glsl(GLSLstd450SmoothStep, ternary<smoothStep>),
    glsl(GLSLstd450Fma, fusedMultiplyAdd),
};

}  // namespace

Rows glslFloatRows() { return kRows; }

}  // namespace coopvk::reference
