// SPDX-License-Identifier: Apache-2.0
//
// Operations on two numbers, and of two scalars of a type, as bits: for subgroups and atomics.
#pragma once

#include <algorithm>
#include <cmath>

#include "execution/map.hpp"

namespace coopvk::reference::operations {

using Combine = uint64_t (*)(const Program&, const Type& scalar, uint64_t, uint64_t);

template <auto kOp>
uint64_t combineBits(const Program&, const Type& type, uint64_t a, uint64_t b) {
    return static_cast<uint64_t>(kOp(a, b)) & widthMask(type.width);
}
template <auto kOp>
uint64_t combineSigned(const Program&, const Type& type, uint64_t a, uint64_t b) {
    return static_cast<uint64_t>(kOp(signExtend(a, type.width), signExtend(b, type.width))) &
           widthMask(type.width);
}
template <auto kOp>
uint64_t combineFloats(const Program& program, const Type& type, uint64_t a, uint64_t b) {
    return withFormat(program, type, [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        return format.to(static_cast<Compute>(kOp(format.from(a), format.from(b))));
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

}  // namespace coopvk::reference::operations
