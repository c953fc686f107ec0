// SPDX-License-Identifier: Apache-2.0
//
// Conversions of numbers, against arithmetic in double.
#include "conversion/float_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace coopvk::layer::float_formats_test {
namespace {

struct Named {
    const char* name;
    ComponentFormat format;
};
constexpr Named kFormats[] = {{"float16", {16, 5, 10, 15, true}},
                              {"E5M2", {8, 5, 2, 15, true}},
                              {"E4M3", {8, 4, 3, 7, false}}};

uint32_t signOf(const ComponentFormat& format) { return 1u << (format.bits - 1); }
uint32_t largestExponent(const ComponentFormat& format) { return (1u << format.exponentBits) - 1; }
uint32_t fieldOf(const ComponentFormat& format, uint32_t magnitude) {
    return magnitude >> format.mantissaBits;
}

// The value of bits without a sign, as if there were no infinities and NaNs.
double valueOf(const ComponentFormat& format, uint32_t magnitude) {
    const int exponent = static_cast<int>(fieldOf(format, magnitude));
    const double mantissa = magnitude & ((1u << format.mantissaBits) - 1);
    const double one = exponent == 0 ? 0 : std::ldexp(1.0, static_cast<int>(format.mantissaBits));
    const int scale = std::max(exponent, 1) - static_cast<int>(format.bias + format.mantissaBits);
    return std::ldexp(one + mantissa, scale);
}

bool isFinite(const ComponentFormat& format, uint32_t magnitude) {
    if (!format.hasInfinity) return magnitude != signOf(format) - 1;
    return fieldOf(format, magnitude) != largestExponent(format);
}

uint32_t narrowed(const ComponentFormat& format, double value) {
    return narrow(format, std::bit_cast<uint32_t>(static_cast<float>(value)));
}

TEST(FloatFormats, Widen) {
    for (const auto& [name, format] : kFormats) {
        for (uint32_t magnitude = 0; magnitude < signOf(format); ++magnitude) {
            for (const bool isNegative : {false, true}) {
                const uint32_t bits = magnitude | (isNegative ? signOf(format) : 0);
                const auto wide = std::bit_cast<float>(widen(format, bits));
                ASSERT_EQ(std::signbit(wide), isNegative) << name << " " << bits;
                if (isFinite(format, magnitude)) {
                    ASSERT_EQ(std::abs(wide), valueOf(format, magnitude)) << name << " " << bits;
                    continue;
                }
                const uint32_t top = largestExponent(format) << format.mantissaBits;
                const bool isInfinite = format.hasInfinity && magnitude == top;
                ASSERT_EQ(std::isinf(wide), isInfinite) << name << " " << bits;
                ASSERT_EQ(std::isnan(wide), !isInfinite) << name << " " << bits;
                // A format's only NaN does not signal, nor does what it is converted to (IEEE
                // 754, 6.2).
                constexpr uint32_t kQuiet = 0x400000;
                if (format.hasInfinity) continue;
                ASSERT_TRUE(widen(format, bits) & kQuiet) << name;
            }
        }
    }
}

// Each number, what is halfway to the next, and what is just beside that.
TEST(FloatFormats, NarrowToTheNearest) {
    for (const auto& [name, format] : kFormats) {
        for (uint32_t low = 0; isFinite(format, low); ++low) {
            const uint32_t even = low + (low & 1);
            const double below = valueOf(format, low), above = valueOf(format, low + 1);
            const auto half = static_cast<float>((below + above) / 2);
            EXPECT_EQ(narrowed(format, below), low) << name;
            EXPECT_EQ(narrowed(format, half), even) << name << " " << half;
            EXPECT_EQ(narrowed(format, std::nextafter(half, 0.0f)), low) << name << " " << half;
            EXPECT_EQ(narrowed(format, std::nextafter(half, 1e9f)), low + 1) << name << " " << half;
            EXPECT_EQ(narrowed(format, -half), even | signOf(format)) << name << " " << half;
        }
    }
}

TEST(FloatFormats, NarrowWhatTheyDoNotHold) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const auto& [name, format] : kFormats) {
        const uint32_t nan = signOf(format) - 1;  // with all bits
        const uint32_t infinity =
            format.hasInfinity ? largestExponent(format) << format.mantissaBits : nan;
        for (const float large : {1e6f, std::numeric_limits<float>::max(), kInfinity}) {
            EXPECT_EQ(narrowed(format, large), infinity) << name << " " << large;
            EXPECT_EQ(narrowed(format, -large), infinity | signOf(format)) << name << " " << large;
        }
        EXPECT_EQ(narrowed(format, std::numeric_limits<float>::denorm_min()), 0u) << name;
        // A quiet NaN, and one that is not, with all bits and with those that narrow formats drop.
        for (const uint32_t wide : {0x7fffffffu, 0x7fbfffffu}) {
            EXPECT_EQ(narrow(format, wide), nan) << name;
            EXPECT_EQ(narrow(format, wide | 1u << 31), nan | signOf(format)) << name;
        }
        const uint32_t least = narrow(format, 0x7f800001);
        EXPECT_TRUE(least > infinity || least == nan) << name << " " << least;
    }
}

}  // namespace
}  // namespace coopvk::layer::float_formats_test
