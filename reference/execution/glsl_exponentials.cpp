// SPDX-License-Identifier: Apache-2.0
//
// GLSL.std.450: trigonometry, exponentials, roots. Computed in double and rounded, which is far
// within Vulkan's "Precision of GLSL.std.450 Instructions".
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "execution/families.hpp"
#include "execution/map.hpp"

namespace coopvk::reference {

namespace {

template <auto kOp>
Step unary(Subgroup& s, const Instruction& i) {
    return mapFloats<1>(s, i, [](auto a) { return kOp(static_cast<double>(a)); });
}
template <auto kOp>
Step binary(Subgroup& s, const Instruction& i) {
    return mapFloats<2>(
        s, i, [](auto a, auto b) { return kOp(static_cast<double>(a), static_cast<double>(b)); });
}

constexpr auto radians = [](double a) { return a * std::numbers::pi / 180; };
constexpr auto degrees = [](double a) { return a * 180 / std::numbers::pi; };
constexpr auto sine = [](double a) { return std::sin(a); };
constexpr auto cosine = [](double a) { return std::cos(a); };
constexpr auto tangent = [](double a) { return std::tan(a); };
constexpr auto arcSine = [](double a) { return std::asin(a); };
constexpr auto arcCosine = [](double a) { return std::acos(a); };
constexpr auto arcTangent = [](double a) { return std::atan(a); };
constexpr auto sineH = [](double a) { return std::sinh(a); };
constexpr auto cosineH = [](double a) { return std::cosh(a); };
constexpr auto tangentH = [](double a) { return std::tanh(a); };
constexpr auto arcSineH = [](double a) { return std::asinh(a); };
constexpr auto arcCosineH = [](double a) { return std::acosh(a); };
constexpr auto arcTangentH = [](double a) { return std::atanh(a); };
constexpr auto arcTangent2 = [](double y, double x) { return std::atan2(y, x); };
constexpr auto power = [](double a, double b) { return std::pow(a, b); };
constexpr auto exponential = [](double a) { return std::exp(a); };
constexpr auto logarithm = [](double a) { return std::log(a); };
constexpr auto exponential2 = [](double a) { return std::exp2(a); };
constexpr auto logarithm2 = [](double a) { return std::log2(a); };
constexpr auto root = [](double a) { return std::sqrt(a); };
constexpr auto inverseRoot = [](double a) { return 1 / std::sqrt(a); };

// Operands: significand, exponent.
Step loadExponent(Subgroup& s, const Instruction& i) {
    const uint32_t width = scalarOf(*s.operand(i, 1).type).width;
    return withFormat(*s.program, scalarOf(*i.type), [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        mapComponents<2>(s, i, 0, [&](uint64_t bits, uint64_t exponent) -> uint64_t {
            const auto by =
                static_cast<int>(std::clamp<int64_t>(signExtend(exponent, width), -10000, 10000));
            return format.to(static_cast<Compute>(std::ldexp(format.from(bits), by)));
        });
        return Step::kNext;
    });
}

constexpr OpcodeRow glsl(uint32_t number, Handler handler) {
    return {number, handler, Defined::kComponentwise, nullptr};
}
constexpr OpcodeRow kRows[] = {
    glsl(GLSLstd450Radians, unary<radians>),    glsl(GLSLstd450Degrees, unary<degrees>),
    glsl(GLSLstd450Sin, unary<sine>),           glsl(GLSLstd450Cos, unary<cosine>),
    glsl(GLSLstd450Tan, unary<tangent>),        glsl(GLSLstd450Asin, unary<arcSine>),
    glsl(GLSLstd450Acos, unary<arcCosine>),     glsl(GLSLstd450Atan, unary<arcTangent>),
    glsl(GLSLstd450Sinh, unary<sineH>),         glsl(GLSLstd450Cosh, unary<cosineH>),
    glsl(GLSLstd450Tanh, unary<tangentH>),      glsl(GLSLstd450Asinh, unary<arcSineH>),
    glsl(GLSLstd450Acosh, unary<arcCosineH>),   glsl(GLSLstd450Atanh, unary<arcTangentH>),
    glsl(GLSLstd450Atan2, binary<arcTangent2>), glsl(GLSLstd450Pow, binary<power>),
    glsl(GLSLstd450Exp, unary<exponential>),    glsl(GLSLstd450Log, unary<logarithm>),
    glsl(GLSLstd450Exp2, unary<exponential2>),  glsl(GLSLstd450Log2, unary<logarithm2>),
    glsl(GLSLstd450Sqrt, unary<root>),          glsl(GLSLstd450InverseSqrt, unary<inverseRoot>),
    glsl(GLSLstd450Ldexp, loadExponent),
};

}  // namespace

Rows glslExponentialRows() { return kRows; }

}  // namespace coopvk::reference
