// SPDX-License-Identifier: Apache-2.0
//
// Equal products in loops one behind the other, and at the end of both branches of a selection; and
// products that are nearly equal.
#include <cmath>
#include <cstring>

#include "matrices.hpp"

namespace coopvk::programs {
namespace {

constexpr uint32_t kMostRounds = 8;

// Two loops, of which the outer one counts; @ is the number of the statement.
constexpr const char* kNested = R"(OpBranch %outer@
%outer@ = OpLabel
%k1@ = OpPhi %u32 FIRST BEFORE %k2@ %step@
%s1@ = OpPhi %C START BEFORE %s2@ %step@
%i@ = OpPhi %u32 ZERO BEFORE %nextI@ %step@
%c1@ = OpULessThan %bool %i@ OUTER
OpLoopMerge %end1@ %step@ None
OpBranchConditional %c1@ %enter@ %end1@
%enter@ = OpLabel
%leaves@ = OpULessThan %bool ZERO %i@
ENTER
%inside@ = OpLabel
OpBranch %inner@
%inner@ = OpLabel
%k2@ = OpPhi %u32 %k1@ %inside@ %nextK@ %body@
%s2@ = OpPhi %C %s1@ %inside@ %next@ %body@
%j@ = OpPhi %u32 ZERO %inside@ %nextJ@ %body@
%c2@ = OpULessThan %bool %j@ INNER
OpLoopMerge %end2@ %body@ None
OpBranchConditional %c2@ %body@ %end2@
%body@ = OpLabel
%next@ = PRODUCT %s2@
%nextK@ = OpIAdd %u32 %k2@ STEP
%nextJ@ = OpIAdd %u32 %j@ ONE
OpBranch %inner@
%end2@ = OpLabel
OpBranch %step@
%step@ = OpLabel
%nextI@ = OpIAdd %u32 %i@ ONE
OpBranch %outer@
%end1@ = OpLabel
)";

constexpr const char* kCounted = R"(OpBranch %outer@
%outer@ = OpLabel
%k1@ = OpPhi %u32 FIRST BEFORE %nextK@ %step@
%s1@ = OpPhi %C START BEFORE %next@ %step@
%i@ = OpPhi %u32 ZERO BEFORE %nextI@ %step@
%c1@ = OpULessThan %bool OUTER %i@
OpLoopMerge %end1@ %step@ None
OpBranchConditional %c1@ %end1@ %body@
%body@ = OpLabel
%next@ = PRODUCT %s1@
%nextK@ = OpIAdd %u32 %k1@ STEP
OpBranch %step@
%step@ = OpLabel
%nextI@ = OpIAdd %u32 %i@ ONE
OpBranch %outer@
%end1@ = OpLabel
)";

constexpr const char* kRest = R"(BETWEEN
OpBranch %rest@
%rest@ = OpLabel
%k3@ = OpPhi %u32 GOES_ON %end1@ %nextK3@ %more@
%s3@ = OpPhi %C %s1@ %end1@ %next3@ %more@
%c3@ = OpULessThan %bool %k3@ END
OpLoopMerge %done@ %more@ None
OpBranchConditional %c3@ %more@ %done@
%more@ = OpLabel
%next3@ = OTHER_PRODUCT %s3@
%nextK3@ = OpIAdd %u32 %k3@ LATER_STEP
OpBranch %rest@
)";

constexpr const char* kBranches = R"(OpSelectionMerge %behind@ None
OpBranchConditional CONDITION %yes@ %no@
%yes@ = OpLabel
%s1@ = PRODUCT START
OpBranch %behind@
%no@ = OpLabel
%s3@ = OTHER_PRODUCT START
OpBranch %behind@
)";

using Words = std::vector<std::pair<const char*, std::string>>;

std::string filled(std::string text, const Words& words) {
    for (const auto& [word, value] : words)
        for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size())
            text.replace(at, std::strlen(word), value);
    return text;
}

// A sum, and two products that are added to it: most often the same one.
struct Sums {
    Matrix start;
    double step = 0;
    std::string product[2];
};

Sums sumsOf(MatrixWriter& w, bool differ) {
    Sums sums;
    const MatrixType type{w.product.c, w.dimension(), w.dimension(), kAccumulator};
    const uint32_t k = w.dimension();
    sums.start = w.take(type, HUGE_VAL);
    sums.step = k * 16.0;
    std::string a, b;
    for (std::string& product : sums.product) {
        if (a.empty() || differ) a = w.take({w.product.a, type.rows, k, kUseA}, 4).id;
        if (b.empty()) b = w.take({w.product.b, k, type.columns, kUseB}, 4).id;
        product = w.multiplyAdd(sums.start.type, a + " " + b + " ", "");
    }
    return sums;
}

double boundOf(const Sums& sums, uint32_t rounds) {
    const bool isFloat = info(sums.start.type.component).isFloat;
    return isFloat ? sums.start.bound + rounds * sums.step : HUGE_VAL;
}

bool loops(MatrixWriter& w) {
    const Sums sums = sumsOf(w, w.chance(6));
    const double bound = boundOf(sums, kMostRounds);
    const MatrixType& type = sums.start.type;
    if (!holds(type.component, bound)) return false;
    Text& text = w.text;
    const std::string one = text.u32(1), number = "_" + text.fresh().substr(2);
    // With a step of zero, the second loop would not end.
    const std::string stepOfCounter = w.chance(8) ? "%i@" : one;
    const std::string between =
        w.chance(8)
            ? w.text.local(text.global("OpTypePointer Function " + text.type(Component::kU32)))
            : "";
    const Words words = {
        {"ENTER",
         w.chance(8) ? "OpBranchConditional %leaves@ %end1@ %inside@" : "OpBranch %inside@"},
        {"LATER_STEP", one},
        {"STEP", stepOfCounter},
        {"FIRST", text.u32(w.pick(2))},
        {"GOES_ON", w.chance(8) ? one : "%k1@"},
        {"BETWEEN", between.empty() ? "" : "OpStore " + between + " %k1@"},
        {"OTHER_PRODUCT", sums.product[1]},
        {"PRODUCT", sums.product[0]},
        {"BEFORE", text.block()},
        {"START", sums.start.id},
        {"OUTER", w.number(w.pick(3))},
        {"INNER", w.chance(2) ? text.u32(2) : w.number(w.pick(3))},
        {"END", w.number(w.pick(5))},
        {"ZERO", text.u32(0)},
        {"ONE", one},
        {"%u32", text.type(Component::kU32)},
        {"%bool", text.global("OpTypeBool")},
        {"%C", w.type(type)},
        {"@", number},
    };
    const bool isNested = w.chance(2);
    text.line(filled(std::string(isNested ? kNested : kCounted) + kRest, words));
    text.label("%done" + number);
    if (!between.empty()) text.value("OpLoad " + text.type(Component::kU32) + " " + between);
    return w.add("%s3" + number, type, bound);
}

bool branches(MatrixWriter& w) {
    const Sums sums = sumsOf(w, true);
    const double bound = boundOf(sums, 1);
    const MatrixType& type = sums.start.type;
    if (!holds(type.component, bound)) return false;
    Text& text = w.text;
    const std::string condition = w.condition(), number = "_" + text.fresh().substr(2);
    text.line(filled(kBranches, {{"CONDITION", condition},
                                 {"OTHER_PRODUCT", sums.product[1]},
                                 {"PRODUCT", sums.product[0]},
                                 {"START", sums.start.id},
                                 {"@", number}}));
    text.label("%behind" + number);
    return w.add(
        text.value(std::format("OpPhi {0} %s1{1} %yes{1} %s3{1} %no{1}", w.type(type), number)),
        type, bound);
}

constexpr MatrixStatement kLoopStatements[] = {loops, loops, branches};

}  // namespace

std::span<const MatrixStatement> loopStatements() { return kLoopStatements; }

}  // namespace coopvk::programs
