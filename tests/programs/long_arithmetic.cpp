// SPDX-License-Identifier: Apache-2.0
//
// Instructions on long vectors that compute each component alone.
#include "long_vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

bool arithmetic(LongWriter& w) {
    struct Row {
        const char *ofFloats, *ofIntegers;
        bool multiplies;
    };
    static constexpr Row kRows[] = {
        {"OpFAdd", "OpIAdd", false}, {"OpFSub", "OpISub", false}, {"OpFMul", "OpIMul", true}};
    const LongType of = w.anyType();
    const LongValue x = w.take(of), y = w.take(of);
    const Row& row = w.any(kRows);
    const bool isFloat = info(of.component).isFloat;
    const double bound = row.multiplies ? x.bound * y.bound : x.bound + y.bound;
    if (isFloat && !w.mayRound() && bound > info(of.component).limit) return false;
    return w.add(w.op(isFloat ? row.ofFloats : row.ofIntegers, w.type(of), {x.id, y.id}), of,
                 isFloat ? bound : HUGE_VAL);
}

bool timesScalar(LongWriter& w) {
    const LongType of = w.anyType();
    if (!info(of.component).isFloat) return false;
    const LongValue x = w.take(of), factor = w.takeScalar(of.component);
    const double bound = x.bound * factor.bound;
    if (!w.mayRound() && bound > info(of.component).limit) return false;
    return w.add(w.op("OpVectorTimesScalar", w.type(of), {x.id, factor.id}), of, bound);
}

bool negate(LongWriter& w) {
    const LongType of = w.anyType();
    const LongValue x = w.take(of);
    const bool isFloat = info(of.component).isFloat;
    return w.add(w.op(isFloat ? "OpFNegate" : "OpSNegate", w.type(of), {x.id}), of,
                 isFloat ? x.bound : HUGE_VAL);
}

// An odd number from 1 to 7 in each component.
std::string divisor(LongWriter& w, const LongType& of) {
    const std::string low = w.op("OpBitwiseAnd", w.type(of), {w.take(of).id, w.splat(of, 6)});
    return w.op("OpBitwiseOr", w.type(of), {low, w.splat(of, 1)});
}

bool divideIntegers(LongWriter& w) {
    const LongType of = w.anyType();
    const ComponentInfo& component = info(of.component);
    if (component.isFloat) return false;
    static constexpr const char* kSigned[] = {"OpSDiv", "OpSRem", "OpSMod"};
    static constexpr const char* kUnsigned[] = {"OpUDiv", "OpUMod"};
    const char* opcode = component.isSigned ? w.any(kSigned) : w.any(kUnsigned);
    std::string dividend = w.take(of).id;
    // Vulkan leaves remainders of negative numbers undefined.
    if (component.isSigned && opcode != std::string_view("OpSDiv")) {
        const int most = static_cast<int>((1u << (std::min(8 * component.bytes, 32u) - 1)) - 1);
        dividend = w.op("OpBitwiseAnd", w.type(of), {dividend, w.splat(of, most)});
    }
    return w.add(w.op(opcode, w.type(of), {dividend, divisor(w, of)}), of, HUGE_VAL);
}

bool divideFloats(LongWriter& w) {
    const LongType of = w.anyType();
    if (!info(of.component).isFloat || !w.mayRound()) return false;
    static constexpr const char* kOpcodes[] = {"OpFDiv", "OpFRem", "OpFMod"};
    const LongValue x = w.take(of), y = w.take(of);
    if (!LongWriter::isExact(x) || y.bound > 16) return false;
    const std::string square = w.op("OpFMul", w.type(of), {y.id, y.id});
    const std::string positive = w.op("OpFAdd", w.type(of), {square, w.splat(of, 1)});
    return w.add(w.op(w.any(kOpcodes), w.type(of), {x.id, positive}), of, HUGE_VAL);
}

bool bits(LongWriter& w) {
    const LongType of = w.anyType();
    if (info(of.component).isFloat) return false;
    static constexpr const char* kOpcodes[] = {"OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor"};
    const LongValue x = w.take(of), y = w.take(of);
    const double bound =
        !info(of.component).isSigned && x.bound <= 4 && y.bound <= 4 ? 7 : HUGE_VAL;
    if (w.chance(4)) return w.add(w.op("OpNot", w.type(of), {x.id}), of, HUGE_VAL);
    return w.add(w.op(w.any(kOpcodes), w.type(of), {x.id, y.id}), of, bound);
}

bool shift(LongWriter& w) {
    const LongType of = w.anyType();
    if (info(of.component).isFloat) return false;
    static constexpr const char* kOpcodes[] = {"OpShiftLeftLogical", "OpShiftRightLogical",
                                               "OpShiftRightArithmetic"};
    const LongValue x = w.take(of);
    const LongType by{w.chance(2) ? of.component : kU32, of.count};
    const std::string amount = w.op("OpBitwiseAnd", w.type(by), {w.take(by).id, w.splat(by, 7)});
    return w.add(w.op(w.any(kOpcodes), w.type(of), {x.id, amount}), of, HUGE_VAL);
}

bool bitFields(LongWriter& w) {
    const LongType of{w.chance(2) ? kU32 : kS32, w.anyCount()};
    const LongValue x = w.take(of), y = w.take(of);
    Text& text = w.text;
    const std::string offset = w.number(w.pick(8)), count = w.number(1 + w.pick(7));
    switch (w.pick(5)) {
        case 0:
            return w.add(w.op("OpBitFieldInsert", w.type(of), {x.id, y.id, offset, count}), of,
                         HUGE_VAL);
        case 1:
            return w.add(w.op("OpBitFieldSExtract", w.type(of), {x.id, offset, count}), of,
                         HUGE_VAL);
        case 2:
            return w.add(w.op("OpBitFieldUExtract", w.type(of), {x.id, text.u32(3), count}), of,
                         127);
        case 3:
            return w.add(w.op("OpBitReverse", w.type(of), {x.id}), of, HUGE_VAL);
        default:
            return w.add(w.op("OpBitCount", w.type(of), {x.id}), of, 32);
    }
}

// Instructions whose result is a structure of two vectors.
bool extended(LongWriter& w) {
    static constexpr const char* kUnsigned[] = {"OpIAddCarry", "OpISubBorrow", "OpUMulExtended"};
    const bool isSigned = w.chance(4);
    const LongType of{isSigned ? kS32 : kU32, w.anyCount()};
    const LongValue x = w.take(of), y = w.take(of);
    const std::string pair = w.text.global(std::format("OpTypeStruct {0} {0}", w.type(of)));
    const std::string both =
        w.op(isSigned ? "OpSMulExtended" : w.any(kUnsigned), pair, {x.id, y.id});
    if (w.chance(2)) w.add(w.op("OpCompositeExtract", w.type(of), {both, "0"}), of, HUGE_VAL);
    return w.add(w.op("OpCompositeExtract", w.type(of), {both, "1"}), of, HUGE_VAL);
}

constexpr LongStatement kArithmetic[] = {arithmetic, arithmetic, arithmetic,   timesScalar,
                                         negate,     bits,       divideFloats, divideIntegers,
                                         shift,      bitFields,  extended};

}  // namespace

std::span<const LongStatement> longArithmetic() { return kArithmetic; }

}  // namespace coopvk::programs
