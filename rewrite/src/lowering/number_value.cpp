// SPDX-License-Identifier: Apache-2.0
#include "lowering/number_value.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace coopvk::rewrite {

namespace {

// The bits of infinity; if there is none, of the first number of NaN's exponent.
uint32_t top(const Number& number) {
    return ((1u << number.fields.exponentBits) - 1) << number.mantissaBits();
}

}  // namespace

uint32_t magnitudeMask(const Number& number) { return (1u << (number.bits - 1)) - 1; }

uint32_t overflowOf(const Number& number, bool saturates) {
    const uint32_t beyond = number.fields.hasInfinity ? top(number) : magnitudeMask(number);
    return saturates ? beyond - 1 : beyond;
}

uint32_t quietNanOf(const Number& number) {
    return number.fields.hasInfinity ? top(number) | 1u << (number.mantissaBits() - 1)
                                     : magnitudeMask(number);
}

double valueOf(const Number& number, uint64_t bits) {
    if (number.bits == 64) return std::bit_cast<double>(bits);
    const uint32_t mantissa = number.mantissaBits();
    const auto magnitude = static_cast<uint32_t>(bits) & magnitudeMask(number);
    const double sign = (bits >> (number.bits - 1) & 1) != 0 ? -1 : 1;
    if (magnitude > overflowOf(number, true)) {
        const bool isInfinity = number.fields.hasInfinity && magnitude == top(number);
        return std::copysign(isInfinity ? INFINITY : NAN, sign);
    }
    const uint32_t exponent = magnitude >> mantissa;
    const uint32_t fraction = magnitude & ((1u << mantissa) - 1);
    const uint32_t significand = exponent == 0 ? fraction : fraction | 1u << mantissa;
    const int scale =
        static_cast<int>(std::max(exponent, 1u)) - static_cast<int>(number.fields.bias + mantissa);
    return sign * std::ldexp(significand, scale);
}

uint64_t bitsOf(const Number& number, double value, bool saturates) {
    if (number.bits == 64) return std::bit_cast<uint64_t>(value);
    const uint64_t sign = std::signbit(value) ? uint64_t{1} << (number.bits - 1) : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return sign | quietNanOf(number);
    const uint64_t most = overflowOf(number, saturates);
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
