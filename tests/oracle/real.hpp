// SPDX-License-Identifier: Apache-2.0
//
// Real numbers by MPFR: sums and products are exact, and only round() and whole() round.
// Infinities, NaN and zeros with a sign are as in IEEE 754.
#pragma once

#include <mpfr.h>

#include <cstdint>

namespace coopvk::oracle {

enum class Direction { kNearest, kZero, kUp, kDown };  // kNearest: to even

class Real {
 public:
    Real() : Real(0.0) {}
    explicit Real(double value);
    static Real integer(int64_t value);
    static Real natural(uint64_t value);
    static Real infinity(bool isNegative);
    static Real nan();
    Real(const Real& other);
    Real(Real&& other) noexcept;
    Real& operator=(Real other) noexcept;
    ~Real() { mpfr_clear(value_); }

    bool isNan() const { return mpfr_nan_p(value_) != 0; }
    bool isInfinite() const { return mpfr_inf_p(value_) != 0; }
    bool isFinite() const { return mpfr_number_p(value_) != 0; }
    bool isZero() const { return mpfr_zero_p(value_) != 0; }
    bool isNegative() const { return mpfr_signbit(value_) != 0; }
    // Of the first bit; the number is finite and not zero.
    long exponent() const { return mpfr_get_exp(value_) - 1; }
    double toDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }
    // The absolute value, which is whole and has at most 64 bits.
    uint64_t magnitude() const;

    Real operator-() const;
    Real magnitudeOf() const { return isNegative() ? -*this : *this; }
    // Exact. The sum of two opposite numbers is zero, negative where `direction` is down.
    friend Real sum(const Real& a, const Real& b, Direction direction);
    friend Real operator+(const Real& a, const Real& b) { return sum(a, b, Direction::kNearest); }
    friend Real operator-(const Real& a, const Real& b) { return a + -b; }
    friend Real operator*(const Real& a, const Real& b);
    Real scaled(long exponent) const;  // times 2 to this
    Real whole(Direction direction) const;

    // More bits than a format has, of which the last one is set where others are lost: rounds to
    // any format as the number itself does.
    friend Real quotient(const Real& a, const Real& b);
    friend Real squareRoot(const Real& a);

    // Not for NaN.
    friend bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.value_, b.value_); }
    friend bool operator<=(const Real& a, const Real& b) {
        return mpfr_lessequal_p(a.value_, b.value_);
    }
    friend bool operator==(const Real& a, const Real& b) {
        return mpfr_equal_p(a.value_, b.value_);
    }

 private:
    struct Bits {
        long count;
    };
    explicit Real(Bits bits) { mpfr_init2(value_, bits.count < 2 ? 2 : bits.count); }
    void setLastBit(int isInexact);

    mpfr_t value_;
};

}  // namespace coopvk::oracle
