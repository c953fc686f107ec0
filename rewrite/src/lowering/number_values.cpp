// SPDX-License-Identifier: Apache-2.0
//
// The values of numbers' bits, and the bits of values.
#include <bit>
#include <cmath>

#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

// The bits of infinity; if there is none, of the first number of NaN's exponent.
uint32_t infinityOf(const Number& number) {
    return ((1u << number.fields.exponentBits) - 1) << number.mantissaBits();
}

double ofTwosComplement(const Number& number, uint64_t bits) {
    const auto value = static_cast<int8_t>(bits << (8 - number.bits));
    return std::ldexp(value,
                      static_cast<int>(number.bits) - 8 - static_cast<int>(number.fields.bias));
}

}  // namespace

uint32_t magnitudeMask(const Number& number) {
    return (1u << (number.bits - (number.hasSign() ? 1 : 0))) - 1;
}

uint32_t overflowOf(const Number& number) {
    if (number.fields.specials == Number::Specials::kNone) return magnitudeMask(number) + 1;
    return number.hasInfinity() ? infinityOf(number) : magnitudeMask(number);
}

uint32_t quietNanOf(const Number& number) {
    return number.hasInfinity() ? infinityOf(number) | 1u << (number.mantissaBits() - 1)
                                : magnitudeMask(number);
}

double valueOf(const Number& number, uint64_t bits) {
    if (number.bits == 64) return std::bit_cast<double>(bits);
    if (number.fields.exponentBits == 0) return ofTwosComplement(number, bits);
    const uint32_t mantissa = number.mantissaBits();
    const auto magnitude = static_cast<uint32_t>(bits) & magnitudeMask(number);
    const bool isNegative = number.hasSign() && (bits >> (number.bits - 1) & 1) != 0;
    const double sign = isNegative ? -1 : 1;
    if (magnitude >= overflowOf(number)) {
        const bool isInfinity = number.hasInfinity() && magnitude == infinityOf(number);
        return std::copysign(isInfinity ? INFINITY : NAN, sign);
    }
    const uint32_t exponent = magnitude >> mantissa;
    const uint32_t fraction = magnitude & ((1u << mantissa) - 1);
    // Without mantissa there are neither zero nor denormals.
    const bool isDenormal = exponent == 0 && mantissa != 0;
    const uint32_t significand = isDenormal ? fraction : fraction | 1u << mantissa;
    const int scale = static_cast<int>(isDenormal ? 1 : exponent) -
                      static_cast<int>(number.fields.bias + mantissa);
    return sign * std::ldexp(significand, scale);
}

uint64_t bitsOf(const Number& number, double value, bool saturates) {
    if (number.bits == 64) return std::bit_cast<uint64_t>(value);
    const uint64_t sign = std::signbit(value) ? uint64_t{1} << (number.bits - 1) : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return sign | quietNanOf(number);
    const uint64_t most = overflowOf(number) - (saturates ? 1 : 0);
    if (std::isinf(value)) return sign | most;
    const auto mantissa = static_cast<int>(number.mantissaBits());
    const int smallest = 1 - static_cast<int>(number.fields.bias) - mantissa;
    int exponent = smallest;
    if (magnitude != 0) std::frexp(magnitude, &exponent);
    // The unit in the last place. A carry out of the mantissa correctly increments the exponent.
    const int unit = std::max(exponent - 1 - mantissa, smallest);
    const auto units = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
    return sign | std::min((static_cast<uint64_t>(unit - smallest) << mantissa) + units, most);
}

}  // namespace coopvk::rewrite
