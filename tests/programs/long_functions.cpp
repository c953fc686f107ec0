// SPDX-License-Identifier: Apache-2.0
//
// Instructions of GLSL.std.450 on long vectors.
#include "long_vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

std::string call(LongWriter& w, const LongType& of, std::string_view name,
                 std::initializer_list<std::string> operands) {
    return w.op(std::format("OpExtInst {} {} {}", w.type(of), w.text.glsl(), name), "", operands);
}

// Of one operand, exact: the result's components are not larger.
bool rounding(LongWriter& w) {
    static constexpr const char* kFloats[] = {"FAbs",  "FSign", "Floor",    "Ceil",
                                              "Trunc", "Fract", "RoundEven"};
    static constexpr const char* kSigned[] = {"SAbs", "SSign"};
    const LongType of = w.anyType();
    const ComponentInfo& component = info(of.component);
    if (!component.isFloat && !component.isSigned) return false;
    const LongValue x = w.take(of);
    return w.add(call(w, of, component.isFloat ? w.any(kFloats) : w.any(kSigned), {x.id}), x);
}

bool extremes(LongWriter& w) {
    struct Row {
        const char *ofFloats, *ofSigned, *ofUnsigned;
    };
    static constexpr Row kRows[] = {{"FMin", "SMin", "UMin"},
                                    {"FMax", "SMax", "UMax"},
                                    {"NMin", "SMax", "UMax"},
                                    {"NMax", "SMin", "UMin"}};
    const LongType of = w.anyType();
    const ComponentInfo& component = info(of.component);
    const Row& row = w.any(kRows);
    const LongValue x = w.take(of), y = w.take(of);
    if (!LongWriter::isExact(x) || !LongWriter::isExact(y)) return false;
    const char* name = component.isFloat    ? row.ofFloats
                       : component.isSigned ? row.ofSigned
                                            : row.ofUnsigned;
    return w.add(call(w, of, name, {x.id, y.id}), of, std::max(x.bound, y.bound));
}

bool clamp(LongWriter& w) {
    const LongType of = w.anyType();
    const ComponentInfo& component = info(of.component);
    const LongValue x = w.take(of);
    if (!LongWriter::isExact(x)) return false;
    const char* name = component.isFloat    ? (w.chance(2) ? "FClamp" : "NClamp")
                       : component.isSigned ? "SClamp"
                                            : "UClamp";
    return w.add(call(w, of, name, {x.id, w.splat(of, 1), w.splat(of, 3)}), of, 3);
}

bool interpolation(LongWriter& w) {
    const LongType of = w.anyType();
    if (!info(of.component).isFloat) return false;
    const LongValue x = w.take(of), y = w.take(of), a = w.take(of);
    if (!LongWriter::isExact(x) || !LongWriter::isExact(y) || !LongWriter::isExact(a)) return false;
    const double sum = x.bound * y.bound + a.bound;
    const bool isExact = sum <= info(of.component).limit;
    switch (w.pick(4)) {
        case 0:
            return w.add(call(w, of, "Step", {x.id, y.id}), of, 1);
        case 1:
            if (!w.mayRound()) return false;
            return w.add(call(w, of, "FMix", {x.id, y.id, a.id}), of, HUGE_VAL);
        case 2:
            if (!w.mayRound()) return false;
            return w.add(call(w, of, "SmoothStep", {w.splat(of, -1), w.splat(of, 2), x.id}), of,
                         HUGE_VAL);
        default:
            if (!isExact && !w.mayRound()) return false;
            return w.add(call(w, of, "Fma", {x.id, y.id, a.id}), of, sum);
    }
}

// Their results are rounded.
bool transcendental(LongWriter& w) {
    static constexpr const char* kNames[] = {"Sqrt", "InverseSqrt", "Exp2", "Log2", "Exp",
                                             "Log",  "Sin",         "Cos",  "Atan"};
    const LongType of = w.anyType();
    if (!w.mayRound() || (of.component != kF32 && of.component != kF16)) return false;
    const LongValue x = w.take(of);
    if (x.bound > 8) return false;
    const std::string positive =
        w.op("OpFAdd", w.type(of), {call(w, of, "FAbs", {x.id}), w.splat(of, 1)});
    if (w.chance(6)) return w.add(call(w, of, "Pow", {positive, x.id}), of, HUGE_VAL);
    return w.add(call(w, of, w.any(kNames), {positive}), of, HUGE_VAL);
}

// Of exact numbers, so that sums are exact. Normalize and Refract may be rounded in several ways.
bool geometry(LongWriter& w) {
    const LongType of = w.anyType();
    const double limit = info(of.component).limit;
    if (!info(of.component).isFloat) return false;
    const LongValue x = w.take(of), y = w.take(of);
    const double larger = std::max(x.bound, y.bound) + 4;
    if (4 * larger * larger * of.count > limit) return false;
    const LongType scalar{of.component, 0};
    const double dot = of.count * x.bound * y.bound;
    switch (w.pick(w.mayRound() ? 5 : 3)) {
        case 0:
            return w.add(call(w, of, "FaceForward", {x.id, y.id, w.take(of).id}), x);
        case 1:
            if (x.bound + 2 * dot * y.bound > limit) return false;
            return w.add(call(w, of, "Reflect", {x.id, y.id}), of, x.bound + 2 * dot * y.bound);
        case 2:
            return w.add(w.op("OpDot", w.type(scalar), {x.id, y.id}), scalar, dot);
        case 3:
            return w.add(call(w, scalar, "Length", {x.id}), scalar, HUGE_VAL);
        default:
            return w.add(call(w, scalar, "Distance", {x.id, y.id}), scalar, HUGE_VAL);
    }
}

// Two results: a structure, or one behind a pointer.
bool parts(LongWriter& w) {
    const LongType of = w.anyType();
    if (!info(of.component).isFloat || !w.mayRound()) return false;
    const bool isFrexp = w.chance(2) && of.component != kF64;
    const LongType other{isFrexp ? kS32 : of.component, of.count};
    const LongValue x = w.take(of);
    if (!LongWriter::isExact(x)) return false;
    const char* name = isFrexp ? "Frexp" : "Modf";
    if (w.chance(2)) {
        const std::string pair =
            w.text.global(std::format("OpTypeStruct {} {}", w.type(of), w.type(other)));
        const std::string both =
            w.op(std::format("OpExtInst {} {} {}Struct", pair, w.text.glsl(), name), "", {x.id});
        w.add(w.op("OpCompositeExtract", w.type(of), {both, "0"}), of, HUGE_VAL);
        return w.add(w.op("OpCompositeExtract", w.type(other), {both, "1"}), other, x.bound);
    }
    const std::string variable = w.local(w.type(other));
    w.add(call(w, of, name, {x.id, variable}), of, HUGE_VAL);
    return w.add(w.op("OpLoad", w.type(other), {variable}), other, x.bound);
}

bool powersOfTwo(LongWriter& w) {
    const LongType of = w.anyType();
    if (!info(of.component).isFloat || !w.mayRound() || of.component == kF64) return false;
    const LongValue x = w.take(of), exponent = w.take({kS32, of.count});
    if (!LongWriter::isExact(x) || exponent.bound > 4) return false;
    return w.add(call(w, of, "Ldexp", {x.id, exponent.id}), of, HUGE_VAL);
}

bool highestBits(LongWriter& w) {
    static constexpr const char* kNames[] = {"FindILsb", "FindUMsb", "FindSMsb"};
    const LongType of{w.chance(2) ? kU32 : kS32, w.anyCount()};
    const char* name = w.any(kNames);
    return w.add(call(w, of, name, {w.take(of).id}), of, HUGE_VAL);
}

constexpr LongStatement kFunctions[] = {rounding, extremes,   clamp,       interpolation,
                                        geometry, geometry,   highestBits, transcendental,
                                        parts,    powersOfTwo};

}  // namespace

std::span<const LongStatement> longFunctions() { return kFunctions; }

}  // namespace coopvk::programs
