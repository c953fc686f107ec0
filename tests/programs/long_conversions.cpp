// SPDX-License-Identifier: Apache-2.0
//
// Conversions of long vectors, and bits as other numbers of components.
#include "long_vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

constexpr Component kConverted[] = {kF16, kF32, kF64, kS8, kS16, kS32, kS64, kU8, kU16, kU32, kU64};

bool convertFloats(LongWriter& w) {
    const LongType from = w.anyType();
    const LongType to{w.any(kConverted), from.count};
    const ComponentInfo &before = info(from.component), &after = info(to.component);
    if (!before.isFloat || from.component == to.component) return false;
    const LongValue x = w.take(from);
    if (after.isFloat) {
        if (x.bound > after.limit && !w.mayRound()) return false;
        return w.add(w.op("OpFConvert", w.type(to), {x.id}), to, x.bound);
    }
    if (x.bound > 127) return false;
    if (after.isSigned) return w.add(w.op("OpConvertFToS", w.type(to), {x.id}), to, x.bound);
    const std::string positive =
        w.op(std::format("OpExtInst {} {} FAbs", w.type(from), w.text.glsl()), "", {x.id});
    return w.add(w.op("OpConvertFToU", w.type(to), {positive}), to, x.bound);
}

bool convertIntegers(LongWriter& w) {
    const LongType from = w.anyType();
    const LongType to{w.any(kConverted), from.count};
    const ComponentInfo &before = info(from.component), &after = info(to.component);
    if (before.isFloat) return false;
    const LongValue x = w.take(from);
    if (after.isFloat) {
        if (x.bound > after.limit && (to.component == kF16 || !w.mayRound())) return false;
        const char* opcode = before.isSigned ? "OpConvertSToF" : "OpConvertUToF";
        return w.add(w.op(opcode, w.type(to), {x.id}), to, x.bound);
    }
    const bool keeps = x.bound <= 127 && before.isSigned == after.isSigned;
    const double bound = keeps ? x.bound : HUGE_VAL;
    if (before.bytes == after.bytes) {
        if (from.component == to.component) return false;
        return w.add(w.op("OpBitcast", w.type(to), {x.id}), to, bound);
    }
    const char* opcode = before.isSigned ? "OpSConvert" : "OpUConvert";
    if (before.isSigned && !after.isSigned) return false;
    if (!before.isSigned && after.isSigned) return false;
    return w.add(w.op(opcode, w.type(to), {x.id}), to, bound);
}

// The same bits: components of another width are more or fewer.
bool cast(LongWriter& w) {
    const LongType from = w.anyType();
    const ComponentInfo& before = info(from.component);
    LongType to{w.any(kConverted), 0};
    const ComponentInfo& after = info(to.component);
    const uint32_t bytes = from.count * before.bytes;
    if (bytes % after.bytes != 0 || bytes / after.bytes > 1024 || from.component == to.component)
        return false;
    to.count = bytes / after.bytes;
    const bool isSame = to.count == from.count;
    if (!isSame && (from.count > 64 || to.count > 64)) return false;
    if (after.isFloat && !w.mayRound()) return false;
    return w.add(w.op("OpBitcast", w.type(to), {w.take(from).id}), to, HUGE_VAL);
}

constexpr LongStatement kConversions[] = {convertFloats, convertIntegers, cast};

}  // namespace

std::span<const LongStatement> longConversions() { return kConversions; }

}  // namespace coopvk::programs
