// SPDX-License-Identifier: Apache-2.0
#include "lowering/small_float_rounding.hpp"

#include "ir/arithmetic_decorations.hpp"
#include "lowering/half_bits.hpp"

namespace coopvk::rewrite {

bool canRoundHalves(const Module& module, const Number& number) {
    return number.isSmallFloat() && number.fields.exponentBits < 5 && !number.hasInfinity() &&
           halfRounding(module) == Rounding::kNearestEven;
}

Id roundedHalves(Emitter& emit, const Number& number, Id pair, bool saturates) {
    const DenormalSum sum(emit, number.fields);
    constexpr uint32_t kLeastNan = 0x7C01;
    const uint32_t smallestNormal = sum.rebias + (1u << 10);
    const uint32_t overflow = (magnitudeMask(number) << sum.lost) + sum.rebias;
    const uint32_t lostBits = (1u << sum.lost) - 1;
    // All bits of the halves in which bit 15 is set.
    const auto mask = [](const U32& bit15) { return (bit15 >> 15 & both(1)) * 0xFFFF; };
    // Magnitudes of at least `least`, which is above 0, and up to 0x8000: no sum carries into the
    // other half.
    const auto areAtLeast = [&](const U32& halves, uint32_t least) {
        return mask(halves + both(0x8000 - least));
    };
    const U32 word(emit, emit.bitcast(emit.types().uint32(), pair));
    const U32 magnitude = word & both(0x7FFF);
    const U32 last = magnitude >> sum.lost & both(1);
    const U32 normal = (magnitude + last + both(lostBits >> 1)) & both(0xFFFF ^ lostBits);
    // The last bit of the sum is the unit of denormals.
    const Id units = emit.op(OpFAdd, sum.pair, {emit.bitcast(sum.pair, magnitude), sum.base});
    const Id small = emit.op(OpFSub, sum.pair, {units, sum.base});
    for (const Id id : {units, small}) forbidContraction(emit.module(), id);
    const U32 isNormal = areAtLeast(magnitude, smallestNormal);
    const U32 rounded = (normal & isNormal) |
                        (U32(emit, emit.bitcast(emit.types().uint32(), small)) & (isNormal ^ ~0u));
    const U32 isBeyond = areAtLeast(rounded, overflow);
    // Of a NaN the negative one; what is too large keeps its sign.
    const U32 sign = (word | (magnitude + both(0x8000 - kLeastNan))) & both(0x8000);
    if (!saturates) return emit.bitcast(sum.pair, rounded | (isBeyond & both(0x7FFF)) | sign);
    const U32 largest = isBeyond & both(overflow - (1u << sum.lost));
    const U32 limited = (rounded & (isBeyond ^ ~0u)) | largest;
    return emit.bitcast(sum.pair, limited | sign | areAtLeast(magnitude, kLeastNan));
}

}  // namespace coopvk::rewrite
