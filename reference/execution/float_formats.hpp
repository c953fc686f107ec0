// SPDX-License-Identifier: Apache-2.0
//
// How the device computes with floating-point types: by the processor, or exactly, with the modes
// of the program for the type.
#pragma once

#include <cfenv>
#include <cmath>

#include "program/program.hpp"

namespace coopvk::reference {

// While this exists the processor rounds so; threads round to nearest even.
class Rounded {
 public:
    explicit Rounded(numbers::Rounding rounding) {
        if (rounding == numbers::Rounding::nearestEven) return;
        constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
        before_ = std::fegetround();
        std::fesetround(kModes[size_t(rounding)]);
    }
    ~Rounded() {
        if (before_) std::fesetround(*before_);
    }
    Rounded(const Rounded&) = delete;
    Rounded& operator=(const Rounded&) = delete;

 private:
    std::optional<int> before_;
};

// How the device computes with a floating-point type: in float or double, without a second rounding
// that could differ (f16 and bf16 in float: 24 bits are at least twice their bits plus 2).
template <typename Float, typename Bits, typename Computed = Float>
struct Native {
    using Compute = Computed;
    static Compute from(uint64_t bits) { return Compute(std::bit_cast<Float>(Bits(bits))); }
    static uint64_t to(auto value) { return std::bit_cast<Bits>(Float(Compute(value))); }
};
using Half = Native<_Float16, uint16_t, float>;
using Single = Native<float, uint32_t>;
using Double = Native<double, uint64_t>;

// The format of a scalar type, of integers with this signedness instead of their type's.
inline numbers::Number numberOf(const Type& scalar, bool isSigned) {
    using numbers::Number;
    if (scalar.kind == Kind::kFloat) return scalar.number;
    if (scalar.kind == Kind::kBool) return Number::u8;
    return numbers::integerOf(scalar.width, isSigned).value_or(Number::u32);
}
inline numbers::Number numberOf(const Type& scalar) { return numberOf(scalar, scalar.isSigned); }

// Any format, rounding and flushing: exact, and slower.
class General {
 public:
    using Compute = double;
    General(const Program& program, const Type& scalar)
        : number_(numberOf(scalar)), controls_(program.controls(scalar)) {}
    double from(uint64_t bits) const { return numbers::decodeDouble(number_, flushed(bits)); }
    uint64_t to(double value) const {
        return flushed(numbers::encodeDouble(number_, value, controls_.rounding));
    }
    // a * b + c, rounded once.
    uint64_t multiplyAdd(uint64_t a, uint64_t b, uint64_t c) const {
        const auto exact = [&](uint64_t bits) { return numbers::decode(number_, flushed(bits)); };
        numbers::ExactSum sum;
        sum.addProduct(exact(a), exact(b));
        sum.add(exact(c));
        return flushed(numbers::encode(number_, sum.value(), controls_.rounding));
    }

 private:
    uint64_t flushed(uint64_t bits) const {
        return controls_.flushDenorms ? numbers::flushDenormal(number_, bits) : bits;
    }

    numbers::Number number_;
    const FloatControls& controls_;
};

// Calls f with Single, Half, Double or General, as the scalar type and the program's modes need,
// while the processor rounds as these say.
template <typename F>
inline auto withFormat(const Program& program, const Type& scalar, F&& f) {
    const FloatControls& controls = program.controls(scalar);
    const Rounded rounded(controls.rounding);
    const bool plain = scalar.kind == Kind::kFloat && scalar.number <= numbers::Number::f64 &&
                       !controls.flushDenorms;
    if (plain && scalar.width == 32) return f(Single{});
    if (plain && scalar.width == 64) return f(Double{});
    if (plain && controls.rounding == numbers::Rounding::nearestEven) return f(Half{});
    return f(General(program, scalar));
}

}  // namespace coopvk::reference
