// SPDX-License-Identifier: Apache-2.0
//
// Structures of long vectors as values: in variables and memory, on both sides of a branch, from
// one round of a loop to the next, and in calls.
#include "long_vectors.hpp"
#include "nesting.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

// struct { uint; V; V[2]; }
struct Structure {
    std::string type, vector, array;
    LongType of;
};

// Their copies are loops, of which a subgroup executes only so many rounds.
bool isTooLarge(const LongWriter& w, const LongType& of, bool isInLoop = false) {
    return of.count > (w.depth != 0 || w.isInFunction || isInLoop ? 64 : 1024);
}

Structure structureOf(LongWriter& w, const LongType& of) {
    Structure s{.vector = w.type(of), .of = of};
    s.array = w.text.global(std::format("OpTypeArray {} {}", s.vector, w.text.u32(2)));
    s.type =
        w.text.global(std::format("OpTypeStruct {} {} {}", w.text.type(kU32), s.vector, s.array));
    return s;
}

// Values, and the largest component of any.
struct Made {
    std::string id;
    double bound = 0;
};

Made construct(LongWriter& w, const Structure& s) {
    const LongValue a = w.take(s.of), b = w.take(s.of), c = w.take(s.of);
    const std::string both = w.op("OpCompositeConstruct", s.array, {b.id, c.id});
    return {w.op("OpCompositeConstruct", s.type, {w.index(9), a.id, both}),
            std::max({a.bound, b.bound, c.bound})};
}

// From a buffer, where the structure has a layout.
Made fromMemory(LongWriter& w, const Structure& s) {
    const auto [place, type] = w.inputStructure(s.of);
    const std::string loaded = w.op("OpLoad", type, {place});
    return {w.op("OpCopyLogical", s.type, {loaded}), 4};
}

Made anyOf(LongWriter& w, const Structure& s) {
    const bool mayBeInMemory = s.of.component != kBool && !w.isCooperative(s.of);
    return mayBeInMemory && w.chance(2) ? fromMemory(w, s) : construct(w, s);
}

// A part of it is another one.
Made changed(LongWriter& w, const Structure& s, const Made& whole) {
    const LongValue part = w.take(s.of);
    const double bound = std::max(whole.bound, part.bound);
    switch (w.pick(3)) {
        case 0: {
            const std::string array = w.op("OpCompositeExtract", s.array, {whole.id, "2"});
            const std::string other =
                w.op("OpCompositeInsert", s.array, {part.id, array, w.chance(2) ? "0" : "1"});
            return {w.op("OpCompositeInsert", s.type, {other, whole.id, "2"}), bound};
        }
        case 1:
            return {w.op("OpCompositeInsert", s.type, {part.id, whole.id, "1"}), bound};
        default:
            return {w.op("OpCompositeInsert", s.type, {part.id, whole.id, "2 1"}), bound};
    }
}

bool takeApart(LongWriter& w, const Structure& s, const Made& whole) {
    const auto add = [&](const LongType& of, const std::string& indices) {
        return w.add(w.op("OpCompositeExtract", w.type(of), {whole.id, indices}), of, whole.bound);
    };
    if (w.chance(2)) add({s.of.component, 0}, std::format("2 0 {}", w.pick(s.of.count)));
    if (w.chance(2)) add(s.of, "1");
    return add(s.of, w.chance(2) ? "2 0" : "2 1");
}

bool inVariables(LongWriter& w) {
    const LongType of = w.anyTypeOrBool();
    if (isTooLarge(w, of)) return false;
    const Structure s = structureOf(w, of);
    const Made x = anyOf(w, s), y = anyOf(w, s);
    const std::string a = w.local(s.type), b = w.local(s.type);
    w.text.line(std::format("OpStore {} {}", a, x.id));
    w.text.line(std::format("OpStore {} {}", b, y.id));
    const Made first{w.op("OpLoad", s.type, {a}), x.bound};
    const LongValue part = w.take(s.of);
    const std::string place = w.part(a, "Function", s.vector, w.text.u32(2) + " " + w.index(2));
    w.text.line(std::format("OpStore {} {}", place, part.id));
    const double bound = std::max({x.bound, y.bound, part.bound});
    if (w.chance(2)) w.text.line(std::format("OpCopyMemory {} {}", b, a));
    const Made second{w.op("OpLoad", s.type, {b}), bound};
    if (w.chance(2)) w.text.line(std::format("OpStore {} {}", a, second.id));
    if (w.chance(2)) w.text.line(std::format("OpStore {} {}", b, first.id));
    if (w.chance(3)) {
        const std::string chosen = w.op("OpSelect", s.type, {w.condition(), first.id, second.id});
        takeApart(w, s, {chosen, bound});
    }
    takeApart(w, s, first);
    takeApart(w, s, {w.op("OpLoad", s.type, {w.chance(2) ? a : b}), bound});
    return takeApart(w, s, second);
}

bool inBranch(LongWriter& w) {
    if (w.depth >= kMostDepth) return false;
    Text& text = w.text;
    const LongType of = w.anyTypeOrBool();
    if (isTooLarge(w, of)) return false;
    const Structure s = structureOf(w, of);
    const Made x = anyOf(w, s), y = anyOf(w, s);
    const std::string condition = w.condition(), before = text.block(), yes = text.fresh(),
                      merge = text.fresh();
    text.line(std::format("OpSelectionMerge {} None", merge));
    text.line(std::format("OpBranchConditional {} {} {}", condition, yes, merge));
    text.label(yes);
    Made z;
    {
        const Scope scope(w);
        w.statements(w.pick(2));
        z = changed(w, s, x);
    }
    const std::string behind = text.block();
    text.line("OpBranch " + merge);
    text.label(merge);
    const std::string phi = w.op("OpPhi", s.type, {y.id, before, z.id, behind});
    takeApart(w, s, {phi, std::max(y.bound, z.bound)});
    return takeApart(w, s, x);
}

// Two structures change places, one of them changed, for three rounds.
bool inLoop(LongWriter& w) {
    if (w.depth >= kMostDepth) return false;
    Text& text = w.text;
    const LongType of = w.anyTypeOrBool();
    if (isTooLarge(w, of, true)) return false;
    const Structure s = structureOf(w, of);
    const Made x = anyOf(w, s), y = anyOf(w, s);
    const std::string u32 = text.type(kU32), count = w.number(1 + w.pick(4)), before = text.block(),
                      header = text.fresh(), body = text.fresh(), next = text.fresh(),
                      merge = text.fresh(), index = text.fresh(), following = text.fresh(),
                      a = text.fresh(), b = text.fresh(), later = text.fresh();
    text.line("OpBranch " + header);
    text.label(header);
    const auto phi = [&](const std::string& id, const std::string& type, const std::string& first,
                         const std::string& then) {
        text.line(std::format("{} = OpPhi {} {} {} {} {}", id, type, first, before, then, next));
    };
    phi(index, u32, text.u32(0), following);
    phi(a, s.type, x.id, b);
    phi(b, s.type, y.id, later);
    text.line(std::format("OpLoopMerge {} {} None", merge, next));
    text.line("OpBranch " + body);
    text.label(body);
    double bound = std::max(x.bound, y.bound);
    {
        const Scope scope(w);
        const LongValue part = w.take(s.of);
        bound = std::max(bound, part.bound);
        takeApart(w, s, {a, bound});
        w.statements(w.pick(3));
        const std::string other = w.op("OpCompositeExtract", s.vector, {b, "2 1"});
        const std::string first =
            w.op("OpCompositeInsert", s.type, {w.chance(2) ? other : part.id, a, "1"});
        text.line(
            std::format("{} = OpCompositeInsert {} {} {} 2 0", later, s.type, part.id, first));
    }
    text.line("OpBranch " + next);
    text.label(next);
    text.line(std::format("{} = OpIAdd {} {} {}", following, u32, index, text.u32(1)));
    const std::string goes = w.op("OpULessThan", w.boolean(), {following, count});
    text.line(std::format("OpBranchConditional {} {} {}", goes, header, merge));
    text.label(merge);
    takeApart(w, s, {a, bound});
    return takeApart(w, s, {later, bound});
}

// S f(S, S), which may return early.
bool inCall(LongWriter& w) {
    if (w.depth != 0 || w.isInFunction) return false;
    Text& text = w.text;
    const LongType of = w.anyTypeOrBool();
    if (isTooLarge(w, of)) return false;
    const Structure s = structureOf(w, of);
    const Made x = anyOf(w, s), y = anyOf(w, s);
    const std::vector<LongValue> outer = std::exchange(w.live, {});
    const std::string type = text.global(std::format("OpTypeFunction {0} {0} {0}", s.type));
    text.beginFunction();
    w.isInFunction = true;
    const std::string function = w.op("OpFunction", s.type, {"None", type});
    const Made a{w.op("OpFunctionParameter", s.type, {}), HUGE_VAL};
    const Made b{w.op("OpFunctionParameter", s.type, {}), HUGE_VAL};
    text.label(text.fresh());
    if (w.chance(2)) {
        const std::string early = text.fresh(), late = text.fresh();
        const std::string isEarly = w.condition();
        text.line(std::format("OpSelectionMerge {} None", late));
        text.line(std::format("OpBranchConditional {} {} {}", isEarly, early, late));
        text.label(early);
        text.line("OpReturnValue " + (w.chance(2) ? b.id : changed(w, s, a).id));
        text.label(late);
        w.live.clear();
    }
    text.line("OpReturnValue " + changed(w, s, w.chance(2) ? a : b).id);
    text.endFunction();
    w.isInFunction = false;
    w.live = outer;
    const double bound = s.of.component == kBool ? 1 : HUGE_VAL;
    const std::string once = w.op("OpFunctionCall", s.type, {function, x.id, y.id});
    takeApart(w, s, {once, bound});
    if (w.chance(2))
        takeApart(w, s, {w.op("OpFunctionCall", s.type, {function, y.id, once}), bound});
    return takeApart(w, s, x);
}

constexpr LongStatement kStructures[] = {inVariables, inVariables, inBranch, inLoop, inCall};

}  // namespace

std::span<const LongStatement> longStructures() { return kStructures; }

}  // namespace coopvk::programs
