// SPDX-License-Identifier: Apache-2.0
//
// Where GLSL.std.450 leaves the results of functions on floats undefined: why, null if it does not.
#pragma once

#include "execution/opcode_table.hpp"

namespace coopvk::reference::domains {

// These functions take IEEE 754 numbers only.
inline double numberFrom(uint32_t width, uint64_t bits) {
    if (width == 64) return Double::from(bits);
    return width == 32 ? Single::from(bits) : Half::from(bits);
}
inline const char* when(bool isOutside, const char* what) { return isOutside ? what : nullptr; }

// A condition on one number.
template <auto kIs>
constexpr auto one = [](uint32_t width, uint64_t a) {
    return when(kIs(numberFrom(width, a)), "a number outside of the function's domain");
};
constexpr auto negative = one<[](double a) { return a < 0; }>;
constexpr auto notPositive = one<[](double a) { return a <= 0; }>;
constexpr auto aboveOne = one<[](double a) { return std::fabs(a) > 1; }>;
constexpr auto oneOrMore = one<[](double a) { return std::fabs(a) >= 1; }>;
constexpr auto belowOne = one<[](double a) { return a < 1; }>;

constexpr auto ofPower = [](uint32_t width, uint64_t a, uint64_t b) {
    const double base = numberFrom(width, a), exponent = numberFrom(width, b);
    return when(base < 0 || (base == 0 && exponent <= 0), "a power of this base");
};
constexpr auto bothZero = [](uint32_t width, uint64_t a, uint64_t b) {
    return when(numberFrom(width, a) == 0 && numberFrom(width, b) == 0, "the angle of (0, 0)");
};
constexpr auto noRange = [](uint32_t width, uint64_t, uint64_t low, uint64_t high) {
    return when(numberFrom(width, low) > numberFrom(width, high), "a range without numbers");
};
constexpr auto noEdges = [](uint32_t width, uint64_t low, uint64_t high, uint64_t) {
    return when(numberFrom(width, low) >= numberFrom(width, high), "edges in the wrong order");
};
constexpr auto tooLarge = [](uint32_t width, uint64_t a, uint64_t by) {
    const double number = numberFrom(width, a);
    const int most = width == 64 ? 1024 : width == 32 ? 128 : 16;
    int exponent = 0;
    // Larger ones are negative, in some width.
    const bool isPositive = by < 0x8000;
    const bool grows = std::isfinite(number) && number != 0 && isPositive;
    if (grows) (void)std::frexp(number, &exponent);
    const bool isFar = isPositive && int(by) > most;
    return when(isFar || (grows && exponent + int(by) > most), "a number that is too large");
};

// Results outside of the domain are any bits, if the schedule is not plain.
template <auto kOutside, auto kFunction>
void within(Subgroup& s) {
    checked<kOutside, kFunction>(s);
    if (s.outside.empty() || s.group->settings->schedule == Choice::kPlain) return;
    const uint64_t mask = lowBits(scalarOf(s.type()).width);
    const uint64_t any = spread(s.group->settings->seed ^ s.at->word);
    for (const auto& [component, lane] : s.outside)
        s.result().at(component, lane) = spread(any + lane) & mask;
}

// "Which operand is the result is undefined if one of the operands is a NaN": the settings say.
template <size_t kOperands, auto kFunction>
void maybeNan(Subgroup& s) {
    kFunction(s);
    if (!s.group->settings->prefersNan) return;
    const Type& scalar = scalarOf(s.type());
    const Value& result = s.result();
    forComponents<kOperands>(s, [&](uint32_t c, uint32_t lane, auto... bits) {
        if ((std::isnan(numberFrom(scalar.width, bits)) || ...))
            result.at(c, lane) = numbers::encodeDouble(numberOf(scalar), NAN);
    });
}

}  // namespace coopvk::reference::domains
