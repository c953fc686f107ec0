// SPDX-License-Identifier: Apache-2.0
//
// Conversions between floats as functions of bits, of which proofs make use: for all numbers of
// f16, and for one in 65,000 of f32, among them those half way between two results.
#include <gtest/gtest.h>

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

class Circuit {
 public:
    explicit Circuit(const Case& of)
        : of_(of),
          width_(numbers::format(of.from).bits),
          rule_(numbers::conversionRule(of.saturates)) {
        Bits from(width_);
        for (uint32_t n = 0; n < width_; ++n) from[n] = diagrams_.variable(width_ - 1 - n);
        made_ = symbols::roundedBits(diagrams_, {of.from, of.to, rule_}, from);
    }

    // Both are NaN, or the bits are equal.
    void expectRight(uint64_t bits) const {
        uint64_t variables = 0, got = 0;
        for (uint32_t n = 0; n < width_; ++n) variables |= (bits >> n & 1) << (width_ - 1 - n);
        for (size_t n = 0; n < made_.size(); ++n)
            got |= uint64_t{diagrams_.valueOf(made_[n], variables)} << n;
        const uint64_t wanted = numbers::Conversion(of_.from, of_.to, rule_)(bits).bits;
        const double a = numbers::decodeDouble(of_.to, wanted);
        const double b = numbers::decodeDouble(of_.to, got);
        if (a != a && b != b) return;
        ASSERT_EQ(got, wanted) << numbers::format(of_.from).name << " to "
                               << numbers::format(of_.to).name << ", bits " << bits;
    }

 private:
    const Case& of_;
    uint32_t width_;
    numbers::ConversionRule rule_;
    Diagrams diagrams_;
    Bits made_;
};

TEST(ConversionCircuits, RoundAsTheNumbersDo) {
    for (const Case& c : kCases) {
        const Circuit circuit(c);
        const bool isHalf = c.from == Number::f16;
        for (uint64_t high = 0; high < 1u << 16; high += isHalf ? 1 : 7) {
            if (isHalf) {
                circuit.expectRight(high);
                continue;
            }
            for (const uint64_t low : {0, 1, 0x0FFF, 0x1000, 0x1001, 0x8000, 0x8001})
                circuit.expectRight(high << 16 | low);
        }
    }
}

}  // namespace
}  // namespace coopvk::reference::conversion_circuits_test
