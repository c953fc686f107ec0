// SPDX-License-Identifier: Apache-2.0
//
// Instructions that compute each component of the result from the same component of each operand.
#pragma once

#include <array>
#include <bit>
#include <utility>

#include "execution/frame.hpp"
#include "numbers/exact.hpp"

namespace coopvk::reference {

// Calls store(result, lane, bits of operands...) for each component and active lane.
template <size_t kCount, typename Store>
inline void mapComponents(Subgroup& s, const Instruction& i, uint32_t first, Store&& store) {
    const Value result = s.result(i);
    std::array<Value, kCount> from;
    for (uint32_t n = 0; n < kCount; ++n) from[n] = s.operand(i, first + n);
    for (uint32_t c = 0; c < result.components(); ++c) {
        uint64_t* to = result.component(c);
        std::array<const uint64_t*, kCount> at;
        for (uint32_t n = 0; n < kCount; ++n)
            at[n] = from[n].component(from[n].components() > 1 ? c : 0);
        [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
            forLanes(s, [&](uint32_t lane) { to[lane] = store(at[kIndex][lane]...); });
        }(std::make_index_sequence<kCount>());
    }
}

// Integers: op(bits..., width of the first operand). The result keeps the bits of its width.
template <size_t kCount, typename Op>
inline Step mapIntegers(Subgroup& s, const Instruction& i, Op op) {
    const uint32_t width = scalarOf(*s.operand(i, 0).type).width;
    const uint64_t mask = widthMask(scalarOf(*i.type).width);
    mapComponents<kCount>(s, i, 0, [&](auto... bits) -> uint64_t {
        return static_cast<uint64_t>(op(bits..., width)) & mask;
    });
    return Step::kNext;
}

// How the device computes with a floating-point type: in float or double, without a second rounding
// that could differ (f16 and bf16 in float: 24 bits are at least twice their bits plus 2).
struct Single {
    using Compute = float;
    static float from(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
    static uint64_t to(float value) { return std::bit_cast<uint32_t>(value); }
};
struct Double {
    using Compute = double;
    static double from(uint64_t bits) { return std::bit_cast<double>(bits); }
    static uint64_t to(double value) { return std::bit_cast<uint64_t>(value); }
};
struct Half {
    using Compute = float;
    static float from(uint64_t bits) {
        return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    }
    static uint64_t to(float value) {
        return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
    }
};

inline numbers::Number numberOf(const Type& scalar) {
    if (scalar.kind == Kind::kBool) return numbers::Number::u8;
    if (scalar.kind == Kind::kInt)
        return numbers::integerOf(scalar.width, scalar.isSigned).value_or(numbers::Number::u32);
    switch (scalar.format) {
        case FloatFormat::kBFloat16:
            return numbers::Number::bf16;
        case FloatFormat::kE4M3:
            return numbers::Number::e4m3;
        case FloatFormat::kE5M2:
            return numbers::Number::e5m2;
        default:
            return numbers::floatOf(scalar.width, numbers::kNoValue).value_or(numbers::Number::f32);
    }
}

inline const FloatControls& controlsOf(const Program& program, const Type& scalar) {
    return scalar.width == 16   ? program.float16
           : scalar.width == 64 ? program.float64
                                : program.float32;
}

// Any format, rounding and flushing: exact, and slower.
class General {
 public:
    using Compute = double;
    General(const Program& program, const Type& scalar)
        : number_(numberOf(scalar)), controls_(controlsOf(program, scalar)) {}
    double from(uint64_t bits) const { return numbers::decodeDouble(number_, flushed(bits)); }
    uint64_t to(double value) const {
        return flushed(numbers::encodeDouble(
            number_, value,
            controls_.towardZero ? numbers::Rounding::towardZero : numbers::Rounding::nearestEven));
    }

 private:
    uint64_t flushed(uint64_t bits) const {
        if (!controls_.flushDenorms) return bits;
        const numbers::Format& format = numbers::format(number_);
        const uint64_t exponent = widthMask(format.exponentBits) << format.mantissaBits;
        return (bits & exponent) != 0 ? bits : bits & (uint64_t{1} << (format.bits - 1));
    }

    numbers::Number number_;
    const FloatControls& controls_;
};

// Calls f with Single, Half, Double or General, as the scalar type and the program's modes need.
template <typename F>
inline auto withFormat(const Program& program, const Type& scalar, F&& f) {
    const FloatControls& controls = controlsOf(program, scalar);
    const bool plain = scalar.kind == Kind::kFloat && scalar.format == FloatFormat::kIeee &&
                       !controls.flushDenorms;
    if (plain && scalar.width == 32) return f(Single{});
    if (plain && scalar.width == 64) return f(Double{});
    if (plain && !controls.towardZero) return f(Half{});
    return f(General(program, scalar));
}

// Floating point: op(values...) of the operands' type, which is also the result's.
template <size_t kCount, typename Op>
inline Step mapFloats(Subgroup& s, const Instruction& i, Op op) {
    return withFormat(*s.program, scalarOf(*i.type), [&](auto format) {
        mapComponents<kCount>(s, i, 0, [&](auto... bits) -> uint64_t {
            using Compute = typename decltype(format)::Compute;
            return format.to(static_cast<Compute>(op(format.from(bits)...)));
        });
        return Step::kNext;
    });
}

// Floating point to another type: op(values...) gives the bits of the result.
template <size_t kCount, typename Op>
inline Step mapFromFloats(Subgroup& s, const Instruction& i, Op op) {
    return withFormat(*s.program, scalarOf(*s.operand(i, 0).type), [&](auto format) {
        mapComponents<kCount>(s, i, 0, [&](auto... bits) -> uint64_t {
            return static_cast<uint64_t>(op(format.from(bits)...));
        });
        return Step::kNext;
    });
}

}  // namespace coopvk::reference
