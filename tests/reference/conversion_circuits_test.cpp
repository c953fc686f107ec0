// SPDX-License-Identifier: Apache-2.0
//
// Conversions between floats as functions of bits, of which proofs make use: for all numbers of
// f16 (in the short run, one in seven), and for numbers of f32 around each place where something is
// rounded.
#include <gtest/gtest.h>

#include "../test_part.hpp"
#include "symbols/circuits.hpp"

namespace coopvk::reference::conversion_circuits_test {
namespace {

using numbers::Number;
using symbols::Bits;
using symbols::Diagrams;

struct Case {
    Number from, to;
    bool saturates;
};
constexpr Case kCases[] = {
    {Number::f16, Number::e4m3, false}, {Number::f16, Number::e4m3, true},
    {Number::f16, Number::e5m2, false}, {Number::f32, Number::e4m3, false},
    {Number::f32, Number::e4m3, true},  {Number::f32, Number::e5m2, false},
    {Number::f32, Number::f16, false},  {Number::f32, Number::bf16, false},
};

// Both are NaN, or the bits are equal.
void expectSame(const Case& c, uint64_t bits) {
    Diagrams diagrams;
    const numbers::ConversionRule rule = numbers::conversionRule(c.saturates);
    const Bits made = symbols::roundedBits(diagrams, {c.from, c.to, rule},
                                           Diagrams::constant(bits, numbers::format(c.from).bits));
    uint64_t got = 0;
    for (size_t n = 0; n < made.size(); ++n) {
        ASSERT_LE(made[n], symbols::kTrue);
        got |= uint64_t{made[n]} << n;
    }
    const uint64_t wanted = numbers::Conversion(c.from, c.to, rule)(bits).bits;
    const double a = numbers::decodeDouble(c.to, wanted), b = numbers::decodeDouble(c.to, got);
    if (a != a && b != b) return;
    ASSERT_EQ(got, wanted) << numbers::format(c.from).name << " to " << numbers::format(c.to).name
                           << ", bits " << bits;
}

TEST(ConversionCircuits, RoundAsTheNumbersDo) {
    for (const Case& c : kCases) {
        if (c.from == Number::f16) {
            const uint64_t step = test::runsAll() ? 1 : 7;
            for (uint64_t bits = test::testSeed() % step; bits < 1u << 16; bits += step)
                expectSame(c, bits);
            continue;
        }
        // Each exponent; mantissas whose lost bits are zero, least, a half, and all.
        for (uint64_t exponent = 0; exponent < 256; ++exponent)
            for (const uint32_t place : {0u, 12u, 13u, 15u, 19u, 20u, 21u, 22u})
                for (const uint64_t low : {-1, 0, 1}) {
                    const uint64_t mantissa = ((uint64_t{1} << place) + low) & 0x7FFFFF;
                    for (const uint64_t rest : {mantissa, mantissa ^ 0x700000})
                        expectSame(c, exponent << 23 | rest | (place & 1u) << 31);
                }
    }
}

}  // namespace
}  // namespace coopvk::reference::conversion_circuits_test
