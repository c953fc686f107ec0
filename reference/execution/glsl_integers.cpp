// SPDX-License-Identifier: Apache-2.0
//
// GLSL.std.450: integers, and numbers packed in words.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <cmath>

#include "execution/families.hpp"
#include "execution/map.hpp"

namespace coopvk::reference {

namespace {

template <auto kOp>
Step unsignedUnary(Subgroup& s, const Instruction& i) {
    return mapIntegers<1>(s, i, [](uint64_t a, uint32_t width) { return kOp(a, width); });
}
template <auto kOp>
Step signedUnary(Subgroup& s, const Instruction& i) {
    return mapIntegers<1>(s, i,
                          [](uint64_t a, uint32_t width) { return kOp(signExtend(a, width)); });
}
template <auto kOp>
Step unsignedBinary(Subgroup& s, const Instruction& i) {
    return mapIntegers<2>(s, i, [](uint64_t a, uint64_t b, uint32_t) { return kOp(a, b); });
}
template <auto kOp>
Step signedBinary(Subgroup& s, const Instruction& i) {
    return mapIntegers<2>(s, i, [](uint64_t a, uint64_t b, uint32_t width) {
        return kOp(signExtend(a, width), signExtend(b, width));
    });
}
template <bool kSigned>
Step clamp(Subgroup& s, const Instruction& i) {
    return mapIntegers<3>(s, i, [](uint64_t a, uint64_t low, uint64_t high, uint32_t width) {
        if constexpr (kSigned)
            return std::min(std::max(signExtend(a, width), signExtend(low, width)),
                            signExtend(high, width));
        else
            return std::min(std::max(a, low), high);
    });
}

constexpr auto absolute = [](int64_t a) {
    return a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
};
constexpr auto sign = [](int64_t a) { return a > 0 ? 1 : a < 0 ? -1 : 0; };
constexpr auto least = [](auto a, auto b) { return std::min(a, b); };
constexpr auto most = [](auto a, auto b) { return std::max(a, b); };
// Numbers of bits; -1 if there is none.
constexpr auto lowestBit = [](uint64_t a, uint32_t) { return a == 0 ? -1 : std::countr_zero(a); };
constexpr auto highestBit = [](uint64_t a, uint32_t) { return 63 - std::countl_zero(a); };
constexpr auto highestSigned = [](uint64_t a, uint32_t width) {
    return 63 - std::countl_zero(signExtend(a, width) < 0 ? ~a & widthMask(width) : a);
};

// Normalised numbers: of `bits` bits each, from or to components of floats.
template <uint32_t kCount, bool kSigned>
Step packNormalised(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    constexpr uint32_t kBits = 32 / kCount;
    constexpr double kMost = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
    forLanes(s, [&](uint32_t lane) {
        uint64_t word = 0;
        for (uint32_t c = 0; c < kCount; ++c) {
            const double value = static_cast<double>(Single::from(from.at(c, lane)));
            const double clamped = std::fmin(std::fmax(value, kSigned ? -1.0 : 0.0), 1.0);
            const auto number = static_cast<int64_t>(std::nearbyint(clamped * kMost));
            word |= (static_cast<uint64_t>(number) & widthMask(kBits)) << (c * kBits);
        }
        result.at(0, lane) = word;
    });
    return Step::kNext;
}
template <uint32_t kCount, bool kSigned>
Step unpackNormalised(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    constexpr uint32_t kBits = 32 / kCount;
    constexpr double kMost = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
    forLanes(s, [&](uint32_t lane) {
        for (uint32_t c = 0; c < kCount; ++c) {
            const uint64_t bits = (from.at(0, lane) >> (c * kBits)) & widthMask(kBits);
            const double number =
                kSigned ? static_cast<double>(signExtend(bits, kBits)) : static_cast<double>(bits);
            result.at(c, lane) = Single::to(static_cast<float>(std::fmax(number / kMost, -1.0)));
        }
    });
    return Step::kNext;
}

Step packHalves(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        result.at(0, lane) = Half::to(Single::from(from.at(0, lane))) |
                             Half::to(Single::from(from.at(1, lane))) << 16;
    });
    return Step::kNext;
}
Step unpackHalves(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        result.at(0, lane) = Single::to(Half::from(from.at(0, lane) & 0xFFFF));
        result.at(1, lane) = Single::to(Half::from(from.at(0, lane) >> 16));
    });
    return Step::kNext;
}
Step packDouble(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    forLanes(
        s, [&](uint32_t lane) { result.at(0, lane) = from.at(0, lane) | from.at(1, lane) << 32; });
    return Step::kNext;
}
Step unpackDouble(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        result.at(0, lane) = from.at(0, lane) & 0xFFFFFFFFu;
        result.at(1, lane) = from.at(0, lane) >> 32;
    });
    return Step::kNext;
}

constexpr OpcodeRow glsl(uint32_t number, Handler handler,
                         Defined defined = Defined::kComponentwise) {
    return {number, handler, defined, nullptr};
}
constexpr OpcodeRow kRows[] = {
    glsl(GLSLstd450SAbs, signedUnary<absolute>),
    glsl(GLSLstd450SSign, signedUnary<sign>),
    glsl(GLSLstd450UMin, unsignedBinary<least>),
    glsl(GLSLstd450UMax, unsignedBinary<most>),
    glsl(GLSLstd450SMin, signedBinary<least>),
    glsl(GLSLstd450SMax, signedBinary<most>),
    glsl(GLSLstd450UClamp, clamp<false>),
    glsl(GLSLstd450SClamp, clamp<true>),
    glsl(GLSLstd450FindILsb, unsignedUnary<lowestBit>),
    glsl(GLSLstd450FindUMsb, unsignedUnary<highestBit>),
    glsl(GLSLstd450FindSMsb, unsignedUnary<highestSigned>),
    glsl(GLSLstd450PackSnorm4x8, packNormalised<4, true>, Defined::kAll),
    glsl(GLSLstd450PackUnorm4x8, packNormalised<4, false>, Defined::kAll),
    glsl(GLSLstd450PackSnorm2x16, packNormalised<2, true>, Defined::kAll),
    glsl(GLSLstd450PackUnorm2x16, packNormalised<2, false>, Defined::kAll),
    glsl(GLSLstd450UnpackSnorm4x8, unpackNormalised<4, true>, Defined::kAll),
    glsl(GLSLstd450UnpackUnorm4x8, unpackNormalised<4, false>, Defined::kAll),
    glsl(GLSLstd450UnpackSnorm2x16, unpackNormalised<2, true>, Defined::kAll),
    glsl(GLSLstd450UnpackUnorm2x16, unpackNormalised<2, false>, Defined::kAll),
    glsl(GLSLstd450PackHalf2x16, packHalves, Defined::kAll),
    glsl(GLSLstd450UnpackHalf2x16, unpackHalves, Defined::kAll),
    glsl(GLSLstd450PackDouble2x32, packDouble, Defined::kAll),
    glsl(GLSLstd450UnpackDouble2x32, unpackDouble, Defined::kAll),
};

}  // namespace

Rows glslIntegerRows() { return kRows; }

}  // namespace coopvk::reference
