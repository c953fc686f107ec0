// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "numbers/exact.hpp"

namespace coopvk::reference::numbers {

// A sum of products of floating-point numbers, without rounding: a number of fixed point that has a
// bit for each power of 2 that a product of two f64 may contain, and room for 2^30 addends.
class ExactSum {
 public:
    void add(const Exact& value) { addProduct(value, {Kind::finite, false, false, 0, 1}); }
    // Factors must be exact (`more` is false) and of formats with at most 53 significant bits.
    void addProduct(const Exact& a, const Exact& b);
    Exact value() const;

 private:
    static constexpr int32_t kLowest =
        -2176;  // exponent of the least significant bit: a multiple of 32
    static constexpr size_t kDigits = 140;  // of 32 bits: up to 2^2303

    bool addSpecial(const Exact& a, const Exact& b, bool negative);
    void addMagnitude(uint64_t significand, int32_t exponent, bool negative);

    std::array<int64_t, kDigits> digits_{};  // carries are outstanding
    uint32_t outstanding_ = 0;
    bool positiveInfinity_ = false;
    bool negativeInfinity_ = false;
    bool nan_ = false;
    bool positiveAddend_ = false;  // for the sign of zero: IEEE 754, 6.3

    void carry();
};

}  // namespace coopvk::reference::numbers
