// SPDX-License-Identifier: Apache-2.0
#include "lowering/small_float_rounding.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <cmath>

#include "ir/arithmetic_decorations.hpp"
#include "lowering/half_bits.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMagnitude = 0x7FFF, kSign = 0x8000, kExponent = 0x7C00, kLeastNan = 0x7C01;
constexpr uint32_t kMantissaBits = 10;

// Of a format: the numbers of mantissa bits that f16 has beside it, and the exponents of the
// smallest and the largest normal number.
struct FormatRange {
    explicit FormatRange(const Number::FloatFields& fields)
        : lost(kMantissaBits - (7 - fields.exponentBits)),
          least(1 - static_cast<int>(fields.bias)),
          most(static_cast<int>((1u << fields.exponentBits) - 1 - fields.bias)) {}

    uint32_t lost;
    int least, most;
};

// Rounds two magnitudes to the mantissa of a format: to each is added a power of two, so large that
// the last bit of the sum is that of the mantissa.
class RoundingSum {
 public:
    RoundingSum(Emitter& emit, const Number& number, const U32& magnitude)
        : range_(number.fields),
          emit_(emit),
          half_(emit.types().floatType(16)),
          pair_(emit.types().vectorType(half_, 2)),
          exponents_(exponentsOf(emit.bitcast(pair_, magnitude))),
          powers_(emit.bitcast(pair_, exponents_)),
          sum_(multiplyAdd(powers_, power(static_cast<int>(range_.lost)),
                           emit.bitcast(pair_, magnitude))) {}

    // As f16; NaN and what is beyond the largest f16 are any f16 of at least the infinity's
    // magnitude.
    U32 halves() {
        const double subtracted = -std::ldexp(1.0, static_cast<int>(range_.lost));
        return wordOf(multiplyAdd(powers_, constant(subtracted), sum_)) & both(kMagnitude);
    }

    // As the bits of the format; of what is too large for it the same numbers plus any.
    U32 bits() {
        const uint32_t lost = range_.lost, mantissa = kMantissaBits - lost;
        const auto ofZero = static_cast<uint32_t>(range_.least + 15) << mantissa;
        const U32 sum = wordOf(sum_) & both(kMagnitude);
        return sum - exponents_ + (exponents_ >> lost) - both((lost << kMantissaBits) + ofZero);
    }

 private:
    U32 wordOf(Id halves) { return {emit_, emit_.bitcast(emit_.types().uint32(), halves)}; }
    Id constant(double value) {
        TypeTable& types = emit_.types();
        return types.constantSplat(pair_, types.constantFloat(half_, value));
    }
    Id power(int exponent) { return constant(std::ldexp(1.0, exponent)); }
    Id multiplyAdd(Id a, Id b, Id c) {
        const Id sum = emit_.glsl(GLSLstd450Fma, pair_, {a, b, c});
        forbidContraction(emit_.module(), sum);
        return sum;
    }

    // The power of two of each magnitude, limited to those of normal numbers: of both scaled to
    // numbers from 0 to 1, which some devices limit without an instruction. What they flush there
    // is limited, too.
    U32 exponentsOf(Id magnitude) {
        const double down = -std::ldexp(1.0, range_.least - range_.most);
        const Id scaled = multiplyAdd(magnitude, power(-range_.most), constant(down));
        const Id null = emit_.types().constantNull(pair_);
        const Id limited = emit_.glsl(GLSLstd450NClamp, pair_, {scaled, null, power(0)});
        return wordOf(multiplyAdd(limited, power(range_.most), power(range_.least))) &
               both(kExponent);
    }

    const FormatRange range_;
    Emitter& emit_;
    const Id half_, pair_;
    const U32 exponents_;
    const Id powers_, sum_;
};

// 1 in each half in which bit 15 is set.
U32 top(const U32& halves) { return halves >> 15 & both(1); }

// Of a NaN the negative sign; what is too large keeps its own. Bit 15 of `nan` is set for a NaN.
U32 signOf(const U32& word, const U32& nan) { return (word | nan) & both(kSign); }

}  // namespace

bool canRoundHalves(const Module& module, const Number& number) {
    return number.isSmallFloat() && number.fields.exponentBits < 5 && !number.hasInfinity() &&
           halfRounding(module) == Rounding::kNearestEven;
}

Id roundedHalves(Emitter& emit, const Number& number, Id pair, bool saturates) {
    const FormatRange range(number.fields);
    const auto rebias = static_cast<uint32_t>(range.least + 14) << kMantissaBits;
    const uint32_t overflow = (magnitudeMask(number) << range.lost) + rebias;
    const U32 word(emit, emit.bitcast(emit.types().uint32(), pair));
    const U32 magnitude = word & both(kMagnitude);
    const U32 rounded = RoundingSum(emit, number, magnitude).halves();
    const U32 isBeyond = top(rounded + both(kSign - overflow)) * 0xFFFF;
    const U32 nan = magnitude + both(kSign - kLeastNan);
    const U32 sign = signOf(word, nan);
    if (!saturates)
        return emit.bitcast(emit.typeOf(pair), rounded | (isBeyond & both(0x7FFF)) | sign);
    const U32 largest = isBeyond & both(overflow - (1u << range.lost));
    const U32 limited = (rounded & (isBeyond ^ ~0u)) | largest;
    return emit.bitcast(emit.typeOf(pair), limited | sign | top(nan) * 0xFFFF);
}

Id roundedBytes(Emitter& emit, const Number& number, Id pair, bool saturates) {
    const U32 word(emit, emit.bitcast(emit.types().uint32(), pair));
    const U32 magnitude = word & both(kMagnitude);
    const U32 bits = RoundingSum(emit, number, magnitude).bits();
    const U32 beyond = top(bits + both(kSign - overflowOf(number)));
    const U32 limited = (bits | beyond * magnitudeMask(number)) & both(magnitudeMask(number));
    const U32 nan = magnitude + both(kSign - kLeastNan);
    // The largest number has one less than NaN.
    const U32 value = saturates ? limited - (beyond & (nan >> 15 ^ ~0u)) : limited;
    return value | signOf(word, nan) >> 8;
}

}  // namespace coopvk::rewrite
