// SPDX-License-Identifier: Apache-2.0
//
// The table of number formats.
#include "lowering/number.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assemble.hpp"
#include "number_row.hpp"

namespace coopvk::rewrite::number_test {
namespace {

using enum ComponentType;
using test::row;

TEST(Number, RowsAreWhatTheNamesOfComponentTypesSay) {
    const std::pair<char, NumberKind> kKinds[] = {
        {'f', NumberKind::kFloat}, {'s', NumberKind::kSigned}, {'u', NumberKind::kUnsigned}};
    for (const ComponentType type : {kFloat16, kFloat32, kFloat64, kSint8, kSint16, kSint32,
                                     kSint64, kUint8, kUint16, kUint32, kUint64}) {
        const std::string text(name(type));
        const Number* number = findNumber(type);
        ASSERT_NE(number, nullptr) << text;
        EXPECT_EQ(number->type, type) << text;
        EXPECT_EQ(number->bits, std::stoul(text.substr(1))) << text;
        EXPECT_EQ(number->bytes() * 8, number->bits) << text;
        EXPECT_EQ(number->unpack == nullptr, number->bits > 32) << text;
        for (const auto& [letter, kind] : kKinds) {
            EXPECT_EQ(number->kind == kind, text[0] == letter) << text;
        }
    }
    for (const ComponentType type : {kFloatE4M3, kFloatE5M2}) {
        const Number* number = findNumber(type);
        ASSERT_NE(number, nullptr) << name(type);
        EXPECT_TRUE(number->isFloat()) << name(type);
        EXPECT_EQ(number->bits, 8u) << name(type);
        // As its name says: bits of the exponent.
        EXPECT_EQ(number->fields.exponentBits, name(type)[1] - '0') << name(type);
    }
    EXPECT_EQ(findNumber(kSint8Packed), nullptr);
    EXPECT_EQ(findNumber(static_cast<ComponentType>(11)), nullptr);
}

TEST(Number, TypesOfTheModuleHaveRows) {
    const auto words = test::assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
)");
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    TypeTable types(*module);
    const auto typeOf = [&](Id type) {
        const Number* number = numberOf(types, type);
        return number == nullptr ? kSint8Packed : number->type;
    };
    EXPECT_EQ(typeOf(types.floatType(16)), kFloat16);
    EXPECT_EQ(typeOf(types.vectorType(types.floatType(64), 2)), kFloat64);
    for (const bool isSigned : {false, true}) {
        EXPECT_EQ(typeOf(types.intType(8, isSigned)), isSigned ? kSint8 : kUint8);
        EXPECT_EQ(typeOf(types.intType(64, isSigned)), isSigned ? kSint64 : kUint64);
    }
    EXPECT_EQ(numberOf(types, types.boolType()), nullptr);
    EXPECT_EQ(numberOf(types, types.arrayType(types.uint32(), 2)), nullptr);
}

TEST(Number, FeaturesSayWhatADeviceComputesWith) {
    DeviceTraits device;
    device.shaderFloat16 = device.shaderInt8 = false;
    device.shaderInt64 = true;
    EXPECT_FALSE(findNumber(kFloat16)->isSupportedBy(device));
    EXPECT_FALSE(findNumber(kUint8)->isSupportedBy(device));
    EXPECT_TRUE(findNumber(kSint64)->isSupportedBy(device));
    EXPECT_TRUE(findNumber(kFloat32)->isSupportedBy(device));
}

// By the text of each format: a sign, bits of the exponent with this bias, and bits of the
// mantissa.
struct Format {
    const char* name;
    int exponentBits, mantissaBits, bias;
    bool hasInfinity, hasNan;
};
constexpr Format kFormats[] = {
    {"f16", 5, 10, 15, true, true},  {"bf16", 8, 7, 127, true, true},
    {"e5m2", 5, 2, 15, true, true},  {"e4m3", 4, 3, 7, false, true},
    {"e2m1", 2, 1, 1, false, false}, {"e2m3", 2, 3, 1, false, false},
    {"e3m2", 3, 2, 3, false, false},
};

double magnitudeOf(const Format& f, uint32_t bits) {
    const int exponent = static_cast<int>(bits >> f.mantissaBits);
    const int fraction = static_cast<int>(bits & ((1u << f.mantissaBits) - 1));
    const int significand = exponent == 0 ? fraction : fraction + (1 << f.mantissaBits);
    return std::ldexp(significand, std::max(exponent, 1) - f.bias - f.mantissaBits);
}

// The bits of the largest number.
uint32_t largestOf(const Format& f) {
    const uint32_t all = (1u << (f.exponentBits + f.mantissaBits)) - 1;
    if (f.hasInfinity) return all - (1u << f.mantissaBits);
    return f.hasNan ? all - 1 : all;
}

TEST(Number, ValuesAreThoseOfTheFormat) {
    for (const Format& f : kFormats) {
        const Number& number = row(f.name);
        const uint32_t largest = largestOf(f), sign = 1u << (f.exponentBits + f.mantissaBits);
        for (uint32_t bits = 0; bits <= largest; ++bits) {
            const double value = magnitudeOf(f, bits);
            ASSERT_EQ(valueOf(number, bits), value) << f.name << bits;
            ASSERT_EQ(valueOf(number, bits | sign), -value) << f.name << bits;
            for (const bool saturates : {false, true}) {
                ASSERT_EQ(bitsOf(number, value, saturates), bits) << f.name << bits;
                ASSERT_EQ(bitsOf(number, -value, saturates), bits | sign) << f.name << bits;
            }
        }
        for (uint32_t bits = largest + 1; bits < sign; ++bits) {
            const bool isInfinity = f.hasInfinity && bits == largest + 1;
            EXPECT_EQ(std::isinf(valueOf(number, bits)), isInfinity) << f.name << bits;
            EXPECT_EQ(std::isnan(valueOf(number, bits)), !isInfinity) << f.name << bits;
            EXPECT_TRUE(std::signbit(valueOf(number, bits | sign))) << f.name << bits;
        }
        if (f.hasNan) {
            EXPECT_TRUE(std::isnan(valueOf(number, bitsOf(number, NAN, false)))) << f.name;
            EXPECT_TRUE(std::isnan(valueOf(number, bitsOf(number, NAN, true)))) << f.name;
        }
    }
}

// Halfway between two numbers, to that whose last bit is 0; from the largest one on as if there
// were one more, which is infinity, or NaN where there is no infinity.
TEST(Number, RoundsToTheNearestOne) {
    for (const Format& f : kFormats) {
        const Number& number = row(f.name);
        const uint32_t largest = largestOf(f);
        for (uint32_t bits = 0; bits <= largest; ++bits) {
            const double value = magnitudeOf(f, bits), next = magnitudeOf(f, bits + 1);
            const double middle = (value + next) / 2;
            const uint32_t even = bits % 2 == 0 ? bits : bits + 1;
            const bool isLast = bits == largest;
            ASSERT_EQ(bitsOf(number, std::nextafter(middle, 0), false), bits) << f.name << bits;
            ASSERT_EQ(bitsOf(number, std::nextafter(middle, next), true), isLast ? bits : bits + 1)
                << f.name << bits;
            ASSERT_EQ(bitsOf(number, middle, true), isLast ? bits : even) << f.name << bits;
            if (!isLast || f.hasNan) {
                ASSERT_EQ(bitsOf(number, middle, false), even) << f.name << bits;
            }
        }
        for (const double large : {1e30 * magnitudeOf(f, largest), double{INFINITY}}) {
            EXPECT_EQ(bitsOf(number, large, true), largest) << f.name;
            if (f.hasNan) {
                EXPECT_EQ(bitsOf(number, large, false), largest + 1) << f.name;
            }
        }
    }
}

}  // namespace
}  // namespace coopvk::rewrite::number_test
