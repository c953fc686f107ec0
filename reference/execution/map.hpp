// SPDX-License-Identifier: Apache-2.0
//
// From operands to a result: handlers that compute each component of the result from the same
// component of each operand, by an operation on numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "execution/frame.hpp"
#include "numbers/exact.hpp"

namespace coopvk::reference {

// Calls f(component, lane, bits of operands...) for each component of the result and each active
// lane. Operands of one component count for all.
template <size_t kCount, typename F>
inline void forComponents(Subgroup& s, const Instruction& i, F&& f) {
    std::array<Value, kCount> from;
    for (uint32_t n = 0; n < kCount; ++n) from[n] = s.operand(i, n);
    for (uint32_t c = 0; c < i.type->components; ++c) {
        std::array<const uint64_t*, kCount> at;
        for (uint32_t n = 0; n < kCount; ++n)
            at[n] = from[n].component(from[n].components() > 1 ? c : 0);
        [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
            forLanes(s, [&](uint32_t lane) { f(c, lane, at[kIndex][lane]...); });
        }(std::make_index_sequence<kCount>());
    }
}

// Stores op(bits of operands...).
template <size_t kCount, typename Op>
inline Step mapComponents(Subgroup& s, const Instruction& i, Op&& op) {
    const Value result = s.result(i);
    forComponents<kCount>(s, i, [&](uint32_t c, uint32_t lane, auto... bits) {
        result.at(c, lane) = uint64_t(op(bits...));
    });
    return Step::kNext;
}

// How many operands of type T an operation has, behind those of the types First.
template <typename Op, typename T, typename... First>
constexpr size_t arityOf() {
    if constexpr (std::is_invocable_v<Op, First..., T>)
        return 1;
    else
        return 1 + arityOf<Op, T, First..., T>();
}

// Integers: op(width of the first operand, bits...). The result keeps the bits of its width.
template <size_t kCount, typename Op>
inline Step mapIntegers(Subgroup& s, const Instruction& i, Op&& op) {
    const uint32_t width = scalarOf(*s.operand(i, 0).type).width;
    const uint64_t mask = widthMask(scalarOf(*i.type).width);
    return mapComponents<kCount>(s, i,
                                 [&](auto... bits) { return uint64_t(op(width, bits...)) & mask; });
}
// Handlers by an operation on integers: of (uint32_t width, uint64_t bits...), of numbers extended
// by zeros, of numbers extended by their signs.
template <auto kOp>
Step onBits(Subgroup& s, const Instruction& i) {
    return mapIntegers<arityOf<decltype(kOp), uint64_t, uint32_t>()>(s, i, kOp);
}
template <auto kOp>
Step onUnsigned(Subgroup& s, const Instruction& i) {
    return mapIntegers<arityOf<decltype(kOp), uint64_t>()>(
        s, i, [](uint32_t, auto... bits) { return kOp(bits...); });
}
template <auto kOp>
Step onSigned(Subgroup& s, const Instruction& i) {
    return mapIntegers<arityOf<decltype(kOp), int64_t>()>(
        s, i, [](uint32_t width, auto... bits) { return kOp(signExtend(bits, width)...); });
}

// Notes the components whose result the specification leaves undefined: outside(width, bits...)
// says why, null if it is defined. Then the handler executes.
template <auto kOutside, Handler kHandler>
Step checked(Subgroup& s, const Instruction& i) {
    if (s.checks(kCheckDomain)) {
        const uint32_t width = scalarOf(*s.operand(i, 0).type).width;
        forComponents<arityOf<decltype(kOutside), uint64_t, uint32_t>()>(
            s, i, [&](uint32_t c, uint32_t lane, auto... bits) {
                if (const char* what = kOutside(width, bits...)) s.noteOutside(i, c, lane, what);
            });
    }
    return kHandler(s, i);
}

// How the device computes with a floating-point type: in float or double, without a second rounding
// that could differ (f16 and bf16 in float: 24 bits are at least twice their bits plus 2).
template <typename Float, typename Bits, typename Computed = Float>
struct Native {
    using Compute = Computed;
    static Compute from(uint64_t bits) { return Compute(std::bit_cast<Float>(Bits(bits))); }
    static uint64_t to(Compute value) { return std::bit_cast<Bits>(Float(value)); }
};
using Half = Native<_Float16, uint16_t, float>;
using Single = Native<float, uint32_t>;
using Double = Native<double, uint64_t>;

// The format of a scalar type, of integers with this signedness instead of their type's.
inline numbers::Number numberOf(const Type& scalar, bool isSigned) {
    using numbers::Number;
    if (scalar.kind == Kind::kBool) return Number::u8;
    if (scalar.kind == Kind::kInt)
        return numbers::integerOf(scalar.width, isSigned).value_or(Number::u32);
    switch (scalar.format) {
        case FloatFormat::kBFloat16:
            return Number::bf16;
        case FloatFormat::kE4M3:
            return Number::e4m3;
        case FloatFormat::kE5M2:
            return Number::e5m2;
        default:
            return numbers::floatOf(scalar.width, numbers::kNoValue).value_or(Number::f32);
    }
}
inline numbers::Number numberOf(const Type& scalar) { return numberOf(scalar, scalar.isSigned); }

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
        return flushed(numbers::encodeDouble(number_, value, controls_.rounding));
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
    if (plain && controls.rounding == numbers::Rounding::nearestEven) return f(Half{});
    return f(General(program, scalar));
}

// The same for floating-point numbers: results of the operands' type; the same, computed in double
// and rounded; results that are bits of another type.
template <auto kOp>
Step onFloats(Subgroup& s, const Instruction& i) {
    return withFormat(*s.program, scalarOf(*i.type), [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        return mapComponents<arityOf<decltype(kOp), double>()>(
            s, i, [&](auto... bits) { return format.to(Compute(kOp(format.from(bits)...))); });
    });
}
template <auto kOp>
Step onDoubles(Subgroup& s, const Instruction& i) {
    if constexpr (arityOf<decltype(kOp), double>() == 1)
        return onFloats<[](auto a) { return kOp(double(a)); }>(s, i);
    else
        return onFloats<[](auto a, auto b) { return kOp(double(a), double(b)); }>(s, i);
}
template <auto kOp>
Step fromFloats(Subgroup& s, const Instruction& i) {
    return withFormat(*s.program, scalarOf(*s.operand(i, 0).type), [&](auto format) {
        return mapComponents<arityOf<decltype(kOp), double>()>(
            s, i, [&](auto... bits) { return kOp(format.from(bits)...); });
    });
}

// Operations on two numbers, and of two scalars of a type, as bits: for subgroups and atomics.
namespace operations {

using Combine = uint64_t (*)(const Program&, const Type& scalar, uint64_t, uint64_t);

template <auto kOp>
uint64_t combineBits(const Program&, const Type& type, uint64_t a, uint64_t b) {
    return uint64_t(kOp(a, b)) & widthMask(type.width);
}
template <auto kOp>
uint64_t combineSigned(const Program&, const Type& type, uint64_t a, uint64_t b) {
    return uint64_t(kOp(signExtend(a, type.width), signExtend(b, type.width))) &
           widthMask(type.width);
}
template <auto kOp>
uint64_t combineFloats(const Program& program, const Type& type, uint64_t a, uint64_t b) {
    return withFormat(program, type, [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        return format.to(Compute(kOp(format.from(a), format.from(b))));
    });
}

inline constexpr auto add = [](auto a, auto b) { return a + b; };
inline constexpr auto subtract = [](auto a, auto b) { return a - b; };
inline constexpr auto multiply = [](auto a, auto b) { return a * b; };
inline constexpr auto least = [](auto a, auto b) { return std::min(a, b); };
inline constexpr auto most = [](auto a, auto b) { return std::max(a, b); };
// Of a number and NaN the number.
inline constexpr auto leastFloat = [](auto a, auto b) { return std::fmin(a, b); };
inline constexpr auto mostFloat = [](auto a, auto b) { return std::fmax(a, b); };
inline constexpr auto bitAnd = [](auto a, auto b) { return a & b; };
inline constexpr auto bitOr = [](auto a, auto b) { return a | b; };
inline constexpr auto bitXor = [](auto a, auto b) { return a ^ b; };
inline constexpr auto equal = [](auto a, auto b) { return a == b; };
inline constexpr auto notEqual = [](auto a, auto b) { return a != b; };
inline constexpr auto less = [](auto a, auto b) { return a < b; };
inline constexpr auto lessEqual = [](auto a, auto b) { return a <= b; };
inline constexpr auto greater = [](auto a, auto b) { return a > b; };
inline constexpr auto greaterEqual = [](auto a, auto b) { return a >= b; };
inline constexpr auto first = [](auto a, auto) { return a; };
inline constexpr auto second = [](auto, auto b) { return b; };

}  // namespace operations

// What an instruction converts from and to, and how.
numbers::Conversion conversionOf(const Program& program, const Instruction& instruction);

}  // namespace coopvk::reference
