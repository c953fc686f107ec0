// SPDX-License-Identifier: Apache-2.0
//
// Integer arithmetic and logic (SPIR-V, 3.52.13).
#include "execution/families.hpp"
#include "execution/map.hpp"

namespace coopvk::reference {

namespace {

// Divisors that are 0, and the quotient that does not fit: undefined (OpUDiv, OpSDiv, ...).
template <bool kSigned>
void checkDivisor(Subgroup& s, const Instruction& i) {
    if (!s.checks(kCheckDomain)) return;
    const Value a = s.operand(i, 0), b = s.operand(i, 1);
    const uint32_t width = scalarOf(*a.type).width;
    for (uint32_t c = 0; c < a.components(); ++c) {
        s.mask.forEach([&](uint32_t lane) {
            const uint64_t divisor = b.at(c, lane);
            if (divisor == 0) s.noteOutside(i, c, lane, "a division by 0");
            if (kSigned && divisor == widthMask(width) &&
                a.at(c, lane) == uint64_t{1} << (width - 1))
                s.noteOutside(i, c, lane, "a division of the lowest number by -1");
        });
    }
}

// Quotients and remainders that nothing defines are 0 here.
int64_t quotient(int64_t a, int64_t b) {
    if (b == 0) return 0;
    return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}
int64_t remainder(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

Step unsignedDivide(Subgroup& s, const Instruction& i) {
    checkDivisor<false>(s, i);
    return mapIntegers<2>(s, i,
                          [](uint64_t a, uint64_t b, uint32_t) { return b == 0 ? 0 : a / b; });
}
Step unsignedModulo(Subgroup& s, const Instruction& i) {
    checkDivisor<false>(s, i);
    return mapIntegers<2>(s, i,
                          [](uint64_t a, uint64_t b, uint32_t) { return b == 0 ? 0 : a % b; });
}
Step signedDivide(Subgroup& s, const Instruction& i) {
    checkDivisor<true>(s, i);
    return mapIntegers<2>(s, i, [](uint64_t a, uint64_t b, uint32_t width) {
        return quotient(signExtend(a, width), signExtend(b, width));
    });
}
// The sign of the first operand.
Step signedRemainder(Subgroup& s, const Instruction& i) {
    checkDivisor<true>(s, i);
    return mapIntegers<2>(s, i, [](uint64_t a, uint64_t b, uint32_t width) {
        return remainder(signExtend(a, width), signExtend(b, width));
    });
}
// The sign of the second operand.
Step signedModulo(Subgroup& s, const Instruction& i) {
    checkDivisor<true>(s, i);
    return mapIntegers<2>(s, i, [](uint64_t a, uint64_t b, uint32_t width) {
        const int64_t divisor = signExtend(b, width);
        const int64_t rest = remainder(signExtend(a, width), divisor);
        return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
    });
}

template <auto kOp>
Step unary(Subgroup& s, const Instruction& i) {
    return mapIntegers<1>(s, i, kOp);
}
template <auto kOp>
Step binary(Subgroup& s, const Instruction& i) {
    return mapIntegers<2>(s, i, kOp);
}

// The result is a structure of two numbers: op(a, b, width) gives both.
struct Pair {
    uint64_t first = 0, second = 0;
};
template <typename Op>
Step pairs(Subgroup& s, const Instruction& i, Op op) {
    const Value a = s.operand(i, 0), b = s.operand(i, 1), result = s.result(i);
    const uint32_t width = scalarOf(*a.type).width;
    const uint64_t mask = widthMask(width);
    const uint32_t count = a.components();
    for (uint32_t c = 0; c < count; ++c) {
        forLanes(s, [&](uint32_t lane) {
            const Pair pair = op(a.at(c, lane), b.at(c, lane), width);
            result.at(c, lane) = pair.first & mask;
            result.at(count + c, lane) = pair.second & mask;
        });
    }
    return Step::kNext;
}

Step addCarry(Subgroup& s, const Instruction& i) {
    return pairs(s, i, [](uint64_t a, uint64_t b, uint32_t width) {
        const uint64_t sum = (a + b) & widthMask(width);
        return Pair{sum, sum < a};
    });
}
Step subtractBorrow(Subgroup& s, const Instruction& i) {
    return pairs(s, i, [](uint64_t a, uint64_t b, uint32_t) { return Pair{a - b, a < b}; });
}

// The high 64 bits of a product.
uint64_t highProduct(uint64_t a, uint64_t b) {
    const uint64_t aLow = a & 0xFFFFFFFFu, aHigh = a >> 32, bLow = b & 0xFFFFFFFFu, bHigh = b >> 32;
    const uint64_t middle = aHigh * bLow + (aLow * bLow >> 32);
    const uint64_t other = aLow * bHigh + (middle & 0xFFFFFFFFu);
    return aHigh * bHigh + (middle >> 32) + (other >> 32);
}
Step unsignedExtended(Subgroup& s, const Instruction& i) {
    return pairs(s, i, [](uint64_t a, uint64_t b, uint32_t width) {
        return width == 64 ? Pair{a * b, highProduct(a, b)} : Pair{a * b, (a * b) >> width};
    });
}
Step signedExtended(Subgroup& s, const Instruction& i) {
    return pairs(s, i, [](uint64_t a, uint64_t b, uint32_t width) {
        const auto x = static_cast<uint64_t>(signExtend(a, width));
        const auto y = static_cast<uint64_t>(signExtend(b, width));
        if (width < 64) return Pair{x * y, (x * y) >> width};
        const uint64_t high = highProduct(x, y) - (static_cast<int64_t>(x) < 0 ? y : 0) -
                              (static_cast<int64_t>(y) < 0 ? x : 0);
        return Pair{x * y, high};
    });
}

constexpr auto kEach = Defined::kComponentwise;
constexpr auto add = [](uint64_t a, uint64_t b, uint32_t) { return a + b; };
constexpr auto subtract = [](uint64_t a, uint64_t b, uint32_t) { return a - b; };
constexpr auto multiply = [](uint64_t a, uint64_t b, uint32_t) { return a * b; };
constexpr auto negate = [](uint64_t a, uint32_t) { return 0 - a; };
constexpr auto bitNot = [](uint64_t a, uint32_t) { return ~a; };
constexpr auto bitAnd = [](uint64_t a, uint64_t b, uint32_t) { return a & b; };
constexpr auto bitOr = [](uint64_t a, uint64_t b, uint32_t) { return a | b; };
constexpr auto bitXor = [](uint64_t a, uint64_t b, uint32_t) { return a ^ b; };

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpIAdd, binary<add>, kEach),
    row(spv::Op::OpISub, binary<subtract>, kEach),
    row(spv::Op::OpIMul, binary<multiply>, kEach),
    row(spv::Op::OpSNegate, unary<negate>, kEach),
    row(spv::Op::OpUDiv, unsignedDivide, kEach),
    row(spv::Op::OpUMod, unsignedModulo, kEach),
    row(spv::Op::OpSDiv, signedDivide, kEach),
    row(spv::Op::OpSRem, signedRemainder, kEach),
    row(spv::Op::OpSMod, signedModulo, kEach),
    row(spv::Op::OpNot, unary<bitNot>, kEach),
    row(spv::Op::OpBitwiseAnd, binary<bitAnd>, kEach),
    row(spv::Op::OpBitwiseOr, binary<bitOr>, kEach),
    row(spv::Op::OpBitwiseXor, binary<bitXor>, kEach),
    row(spv::Op::OpIAddCarry, addCarry, Defined::kAll),
    row(spv::Op::OpISubBorrow, subtractBorrow, Defined::kAll),
    row(spv::Op::OpUMulExtended, unsignedExtended, Defined::kAll),
    row(spv::Op::OpSMulExtended, signedExtended, Defined::kAll),
};

}  // namespace

Rows integerRows() { return kRows; }

}  // namespace coopvk::reference
