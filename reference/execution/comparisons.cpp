// SPDX-License-Identifier: Apache-2.0
//
// Comparisons, booleans, classes of numbers (SPIR-V, 3.52.15).
#include <cmath>

#include "execution/families.hpp"
#include "execution/map.hpp"

namespace coopvk::reference {

namespace {

template <auto kOp>
Step unsignedCompare(Subgroup& s, const Instruction& i) {
    return mapIntegers<2>(s, i, [](uint64_t a, uint64_t b, uint32_t) { return kOp(a, b); });
}
template <auto kOp>
Step signedCompare(Subgroup& s, const Instruction& i) {
    return mapIntegers<2>(s, i, [](uint64_t a, uint64_t b, uint32_t width) {
        return kOp(signExtend(a, width), signExtend(b, width));
    });
}
// Ordered: false if an operand is NaN. Unordered: true.
template <auto kOp>
Step ordered(Subgroup& s, const Instruction& i) {
    return mapFromFloats<2>(s, i,
                            [](auto a, auto b) { return !std::isunordered(a, b) && kOp(a, b); });
}
template <auto kOp>
Step unordered(Subgroup& s, const Instruction& i) {
    return mapFromFloats<2>(s, i,
                            [](auto a, auto b) { return std::isunordered(a, b) || kOp(a, b); });
}
template <auto kOp>
Step classify(Subgroup& s, const Instruction& i) {
    return mapFromFloats<1>(s, i, kOp);
}
template <auto kOp>
Step logical(Subgroup& s, const Instruction& i) {
    mapComponents<2>(s, i, 0, [](uint64_t a, uint64_t b) -> uint64_t { return kOp(a, b); });
    return Step::kNext;
}
Step logicalNot(Subgroup& s, const Instruction& i) {
    mapComponents<1>(s, i, 0, [](uint64_t a) -> uint64_t { return a == 0; });
    return Step::kNext;
}

template <bool kAll>
Step reduce(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        bool value = kAll;
        for (uint32_t c = 0; c < from.components(); ++c)
            value = kAll ? value && from.at(c, lane) != 0 : value || from.at(c, lane) != 0;
        result.at(0, lane) = value;
    });
    return Step::kNext;
}

// A number that is neither 0, denormal, infinity nor NaN in its own format.
Step isNormal(Subgroup& s, const Instruction& i) {
    const numbers::Format& format = numbers::format(numberOf(scalarOf(*s.operand(i, 0).type)));
    const uint64_t exponent = widthMask(format.exponentBits);
    mapComponents<1>(s, i, 0, [&](uint64_t bits) -> uint64_t {
        const uint64_t at = (bits >> format.mantissaBits) & exponent;
        return at != 0 && at != exponent;
    });
    return Step::kNext;
}
Step signBit(Subgroup& s, const Instruction& i) {
    const uint32_t width = scalarOf(*s.operand(i, 0).type).width;
    mapComponents<1>(s, i, 0, [&](uint64_t bits) { return bits >> (width - 1); });
    return Step::kNext;
}

constexpr auto kEach = Defined::kComponentwise;
constexpr auto equal = [](auto a, auto b) { return a == b; };
constexpr auto notEqual = [](auto a, auto b) { return a != b; };
constexpr auto less = [](auto a, auto b) { return a < b; };
constexpr auto lessEqual = [](auto a, auto b) { return a <= b; };
constexpr auto greater = [](auto a, auto b) { return a > b; };
constexpr auto greaterEqual = [](auto a, auto b) { return a >= b; };
constexpr auto always = [](auto, auto) { return true; };
constexpr auto never = [](auto, auto) { return false; };
constexpr auto both = [](uint64_t a, uint64_t b) { return a & b; };
constexpr auto either = [](uint64_t a, uint64_t b) { return a | b; };
constexpr auto isNan = [](auto a) { return std::isnan(a); };
constexpr auto isInfinite = [](auto a) { return std::isinf(a); };
constexpr auto isFinite = [](auto a) { return std::isfinite(a); };

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpIEqual, unsignedCompare<equal>, kEach),
    row(spv::Op::OpINotEqual, unsignedCompare<notEqual>, kEach),
    row(spv::Op::OpULessThan, unsignedCompare<less>, kEach),
    row(spv::Op::OpULessThanEqual, unsignedCompare<lessEqual>, kEach),
    row(spv::Op::OpUGreaterThan, unsignedCompare<greater>, kEach),
    row(spv::Op::OpUGreaterThanEqual, unsignedCompare<greaterEqual>, kEach),
    row(spv::Op::OpSLessThan, signedCompare<less>, kEach),
    row(spv::Op::OpSLessThanEqual, signedCompare<lessEqual>, kEach),
    row(spv::Op::OpSGreaterThan, signedCompare<greater>, kEach),
    row(spv::Op::OpSGreaterThanEqual, signedCompare<greaterEqual>, kEach),
    row(spv::Op::OpFOrdEqual, ordered<equal>, kEach),
    row(spv::Op::OpFOrdNotEqual, ordered<notEqual>, kEach),
    row(spv::Op::OpLessOrGreater, ordered<notEqual>, kEach),
    row(spv::Op::OpFOrdLessThan, ordered<less>, kEach),
    row(spv::Op::OpFOrdLessThanEqual, ordered<lessEqual>, kEach),
    row(spv::Op::OpFOrdGreaterThan, ordered<greater>, kEach),
    row(spv::Op::OpFOrdGreaterThanEqual, ordered<greaterEqual>, kEach),
    row(spv::Op::OpOrdered, ordered<always>, kEach),
    row(spv::Op::OpUnordered, unordered<never>, kEach),
    row(spv::Op::OpFUnordEqual, unordered<equal>, kEach),
    row(spv::Op::OpFUnordNotEqual, unordered<notEqual>, kEach),
    row(spv::Op::OpFUnordLessThan, unordered<less>, kEach),
    row(spv::Op::OpFUnordLessThanEqual, unordered<lessEqual>, kEach),
    row(spv::Op::OpFUnordGreaterThan, unordered<greater>, kEach),
    row(spv::Op::OpFUnordGreaterThanEqual, unordered<greaterEqual>, kEach),
    row(spv::Op::OpIsNan, classify<isNan>, kEach),
    row(spv::Op::OpIsInf, classify<isInfinite>, kEach),
    row(spv::Op::OpIsFinite, classify<isFinite>, kEach),
    row(spv::Op::OpIsNormal, isNormal, kEach),
    row(spv::Op::OpSignBitSet, signBit, kEach),
    row(spv::Op::OpLogicalEqual, logical<equal>, kEach),
    row(spv::Op::OpLogicalNotEqual, logical<notEqual>, kEach),
    row(spv::Op::OpLogicalAnd, logical<both>, kEach),
    row(spv::Op::OpLogicalOr, logical<either>, kEach),
    row(spv::Op::OpLogicalNot, logicalNot, kEach),
    row(spv::Op::OpAll, reduce<true>, Defined::kAll),
    row(spv::Op::OpAny, reduce<false>, Defined::kAll),
};

}  // namespace

Rows comparisonRows() { return kRows; }

}  // namespace coopvk::reference
