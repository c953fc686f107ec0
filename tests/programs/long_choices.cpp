// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of long vectors, vectors of booleans, and selections.
#include "long_vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

bool compare(LongWriter& w) {
    static constexpr const char* kFloats[] = {
        "OpFOrdEqual",           "OpFUnordEqual",          "OpFOrdNotEqual",
        "OpFUnordNotEqual",      "OpFOrdLessThan",         "OpFUnordLessThan",
        "OpFOrdGreaterThan",     "OpFUnordGreaterThan",    "OpFOrdLessThanEqual",
        "OpFUnordLessThanEqual", "OpFOrdGreaterThanEqual", "OpFUnordGreaterThanEqual"};
    static constexpr const char* kIntegers[] = {
        "OpIEqual",           "OpINotEqual",      "OpULessThan",
        "OpSLessThan",        "OpUGreaterThan",   "OpSGreaterThan",
        "OpULessThanEqual",   "OpSLessThanEqual", "OpUGreaterThanEqual",
        "OpSGreaterThanEqual"};
    const LongType of = w.anyType(), result{kBool, of.count};
    const LongValue x = w.take(of), y = w.take(of);
    const char* opcode = info(of.component).isFloat ? w.any(kFloats) : w.any(kIntegers);
    return w.add(w.op(opcode, w.type(result), {x.id, y.id}), result, 1);
}

bool classify(LongWriter& w) {
    const LongType of = w.anyType(), result{kBool, of.count};
    if (!info(of.component).isFloat) return false;
    const LongValue x = w.take(of);
    return w.add(w.op(w.chance(2) ? "OpIsNan" : "OpIsInf", w.type(result), {x.id}), result, 1);
}

bool logic(LongWriter& w) {
    static constexpr const char* kOpcodes[] = {"OpLogicalAnd", "OpLogicalOr", "OpLogicalEqual",
                                               "OpLogicalNotEqual"};
    const LongType of{kBool, w.anyCount()};
    const LongValue x = w.take(of), y = w.take(of);
    if (w.chance(3)) return w.add(w.op("OpLogicalNot", w.type(of), {x.id}), x);
    return w.add(w.op(w.any(kOpcodes), w.type(of), {x.id, y.id}), x);
}

bool reduce(LongWriter& w) {
    const LongType of{kBool, w.anyCount()};
    const LongValue x = w.take(of);
    return w.add(w.op(w.chance(2) ? "OpAny" : "OpAll", w.boolean(), {x.id}), {kBool, 0}, 1);
}

// By a condition for each component, or by one for all.
bool select(LongWriter& w) {
    LongType of = w.anyType();
    if (w.chance(4)) of.component = kBool;
    const LongValue yes = w.take(of), no = w.take(of);
    const LongValue which = w.take({kBool, w.chance(2) ? of.count : 0});
    return w.add(w.op("OpSelect", w.type(of), {which.id, yes.id, no.id}), of,
                 std::max(yes.bound, no.bound));
}

bool numbers(LongWriter& w) {
    const LongType of = w.anyType(), condition{kBool, of.count};
    const LongValue x = w.take(condition);
    return w.add(w.op("OpSelect", w.type(of), {x.id, w.splat(of, 1), w.splat(of, 2)}), of, 2);
}

constexpr LongStatement kChoices[] = {compare, compare, classify, logic,
                                      reduce,  select,  select,   numbers};

}  // namespace

std::span<const LongStatement> longChoices() { return kChoices; }

}  // namespace coopvk::programs
