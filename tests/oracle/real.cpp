// SPDX-License-Identifier: Apache-2.0
#include "real.hpp"

#include <algorithm>
#include <utility>

namespace coopvk::oracle {
namespace {

constexpr long kMany = 200;  // more than twice the bits of any format, and two

mpfr_rnd_t modeOf(Direction direction) {
    constexpr mpfr_rnd_t kModes[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};
    return kModes[int(direction)];
}

// Of the last bit; the number is finite and not zero.
long lastBit(const mpfr_t value) { return mpfr_get_exp(value) - long(mpfr_min_prec(value)); }

}  // namespace

Real::Real(double value) : Real(Bits{53}) { mpfr_set_d(value_, value, MPFR_RNDN); }

Real Real::integer(int64_t value) {
    Real result(Bits{64});
    mpfr_set_si(result.value_, value, MPFR_RNDN);
    return result;
}

Real Real::natural(uint64_t value) {
    Real result(Bits{64});
    mpfr_set_ui(result.value_, value, MPFR_RNDN);
    return result;
}

Real Real::infinity(bool isNegative) {
    Real result(Bits{2});
    mpfr_set_inf(result.value_, isNegative ? -1 : 1);
    return result;
}

Real Real::nan() {
    Real result(Bits{2});
    mpfr_set_nan(result.value_);
    return result;
}

Real::Real(const Real& other) : Real(Bits{long(mpfr_get_prec(other.value_))}) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
}

Real::Real(Real&& other) noexcept : Real(Bits{2}) { mpfr_swap(value_, other.value_); }

Real& Real::operator=(Real other) noexcept {
    mpfr_swap(value_, other.value_);
    return *this;
}

uint64_t Real::magnitude() const {
    const Real magnitude = magnitudeOf();
    return mpfr_get_ui(magnitude.value_, MPFR_RNDN);
}

Real Real::operator-() const {
    Real result = *this;
    mpfr_neg(result.value_, result.value_, MPFR_RNDN);
    return result;
}

Real sum(const Real& a, const Real& b, Direction direction) {
    long bits = 2;
    if (a.isFinite() && b.isFinite() && !a.isZero() && !b.isZero())
        bits = std::max(a.exponent(), b.exponent()) + 2 -
               std::min(lastBit(a.value_), lastBit(b.value_));
    else
        bits = std::max(mpfr_get_prec(a.value_), mpfr_get_prec(b.value_));
    Real result(Real::Bits{bits});
    mpfr_add(result.value_, a.value_, b.value_, modeOf(direction));
    return result;
}

Real operator*(const Real& a, const Real& b) {
    Real result(Real::Bits{long(mpfr_get_prec(a.value_) + mpfr_get_prec(b.value_))});
    mpfr_mul(result.value_, a.value_, b.value_, MPFR_RNDN);
    return result;
}

Real Real::scaled(long exponent) const {
    Real result = *this;
    mpfr_mul_2si(result.value_, result.value_, exponent, MPFR_RNDN);
    return result;
}

Real Real::whole(Direction direction) const {
    Real result(Bits{std::max<long>(mpfr_get_prec(value_), 2) + 1});
    mpfr_rint(result.value_, value_, modeOf(direction));
    return result;
}

void Real::setLastBit(int isInexact) {
    if (isInexact == 0 || !isFinite() || isZero()) return;
    // The value was cut to kMany bits: half of its last bit more, away from zero.
    Real half(Bits{2});
    mpfr_set_si_2exp(half.value_, isNegative() ? -1 : 1, exponent() - kMany, MPFR_RNDN);
    *this = *this + half;
}

Real quotient(const Real& a, const Real& b) {
    Real result(Real::Bits{kMany});
    const int isInexact = mpfr_div(result.value_, a.value_, b.value_, MPFR_RNDZ);
    result.setLastBit(isInexact);
    return result;
}

Real squareRoot(const Real& a) {
    Real result(Real::Bits{kMany});
    const int isInexact = mpfr_sqrt(result.value_, a.value_, MPFR_RNDZ);
    result.setLastBit(isInexact);
    return result;
}

}  // namespace coopvk::oracle
