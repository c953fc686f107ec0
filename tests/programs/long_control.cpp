// SPDX-License-Identifier: Apache-2.0
//
// Branches, loops and functions: statements are nested in them.
#include "long_vectors.hpp"
#include "nesting.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

// A value for each path: a branch with one or two sides, or a switch.
bool branch(LongWriter& w) {
    if (w.depth >= kMostDepth) return false;
    Text& text = w.text;
    const LongValue otherwise = w.take(w.anyTypeOrBool()), other = w.take(otherwise.type);
    const bool isSwitch = w.chance(3);
    const std::string selector = isSwitch ? w.remainder(w.invocation(), 3) : w.condition();
    const std::string yes = text.fresh(), no = text.fresh(), merge = text.fresh();
    const std::string before = text.block();
    const bool hasNo = isSwitch || w.chance(2);
    text.line(std::format("OpSelectionMerge {} None", merge));
    if (isSwitch)
        text.line(std::format("OpSwitch {} {} 0 {} 1 {}", selector, merge, yes, no));
    else
        text.line(std::format("OpBranchConditional {} {} {}", selector, yes, hasNo ? no : merge));
    double bound = std::max(otherwise.bound, other.bound);
    std::string values, others;
    for (const std::string& label : {yes, no}) {
        if (label == no && !hasNo) continue;
        const Scope scope(w);
        text.label(label);
        w.statements(w.pick(3));
        const LongValue value = w.take(otherwise.type), second = w.take(otherwise.type);
        bound = std::max({bound, value.bound, second.bound});
        values += " " + value.id + " " + text.block();
        others += " " + second.id + " " + text.block();
        text.line("OpBranch " + merge);
    }
    if (!hasNo || isSwitch) {
        values += " " + otherwise.id + " " + before;
        others += " " + other.id + " " + before;
    }
    text.label(merge);
    const LongType& of = otherwise.type;
    const std::string first = w.op("OpPhi", w.type(of), {values});
    if (w.chance(3)) w.add(w.op("OpPhi", w.type(of), {others}), of, bound);
    return w.add(first, of, bound);
}

// A vector that a phi of a loop's header has, and the value for the next round.
struct Carried {
    std::string id, first, later;
};

void carry(Text& text, const std::string& type, const Carried& value, const std::string& before,
           const std::string& latch) {
    text.line(std::format("{} = OpPhi {} {} {} {} {}", value.id, type, value.first, before,
                          value.later, latch));
}

// From 1 to 4 rounds, which differ between invocations or not.
std::string rounds(LongWriter& w) {
    if (w.chance(2)) return w.number(1 + w.pick(4));
    return w.add(w.remainder(w.invocation(), 4), w.text.u32(w.pick(2)));
}

// x += step in a loop, with other statements before it, while a and b change places and the former
// x stays for the next round.
bool loop(LongWriter& w) {
    if (w.depth >= kMostDepth) return false;
    Text& text = w.text;
    const LongType of = w.anyType();
    const LongValue start = w.take(of), y = w.take(of), z = w.take(of), step = w.take(of);
    const bool isFloat = info(of.component).isFloat;
    const double bound =
        isFloat ? std::max({start.bound + 4 * step.bound, y.bound, z.bound}) : HUGE_VAL;
    if (isFloat && bound > info(of.component).limit && !w.mayRound()) return false;
    const std::string u32 = text.type(kU32), type = w.type(of), count = rounds(w);
    const std::string before = text.block(), header = text.fresh(), next = text.fresh(),
                      merge = text.fresh(), body = text.fresh(), following = text.fresh(),
                      sum = text.fresh(), index = text.fresh(), x = text.fresh(), a = text.fresh(),
                      b = text.fresh(), former = text.fresh();
    const bool isOneBlock = w.chance(3);
    const std::string& latch = isOneBlock ? header : next;
    text.line("OpBranch " + header);
    text.label(header);
    carry(text, u32, {index, text.u32(0), following}, before, latch);
    for (const Carried& value : {Carried{x, start.id, sum}, Carried{a, y.id, b},
                                 Carried{b, z.id, a}, Carried{former, start.id, x}})
        carry(text, type, value, before, latch);
    if (!isOneBlock) {
        const Scope scope(w);
        text.line(std::format("OpLoopMerge {} {} None", merge, next));
        text.line("OpBranch " + body);
        text.label(body);
        for (const std::string& id : {x, a, b}) w.add(id, of, bound);
        w.statements(w.pick(3));
    }
    text.line(
        std::format("{} = {} {} {} {}", sum, isFloat ? "OpFAdd" : "OpIAdd", type, x, step.id));
    if (!isOneBlock) {
        text.line("OpBranch " + next);
        text.label(next);
    }
    text.line(std::format("{} = OpIAdd {} {} {}", following, u32, index, text.u32(1)));
    const std::string goes = w.op("OpULessThan", w.boolean(), {following, count});
    if (isOneBlock) text.line(std::format("OpLoopMerge {} {} None", merge, header));
    text.line(std::format("OpBranchConditional {} {} {}", goes, header, merge));
    text.label(merge);
    for (const std::string& id : {a, former, x, sum}) w.add(id, of, bound);
    return true;
}

// A function with statements of its own, which may return early, and which may write to what its
// third parameter points to.
bool call(LongWriter& w) {
    if (w.depth != 0 || w.isInFunction) return false;
    Text& text = w.text;
    const LongType of = w.anyTypeOrBool(), with = w.anyTypeOrBool();
    const LongValue x = w.take(of), y = w.take(with), z = w.take(of);
    const std::string result = w.type(of), second = w.type(with);
    const std::string pointer = text.global("OpTypePointer Function " + result);
    const std::string functionType =
        text.global(std::format("OpTypeFunction {} {} {} {}", result, result, second, pointer));
    const std::vector<LongValue> outer = std::exchange(w.live, {});
    text.beginFunction();
    w.isInFunction = true;
    const std::string function = w.op("OpFunction", result, {"None", functionType});
    const std::string a = w.op("OpFunctionParameter", result, {});
    const std::string b = w.op("OpFunctionParameter", second, {});
    const std::string c = w.op("OpFunctionParameter", pointer, {});
    text.label(text.fresh());
    // With any bound, the function may be called with other values.
    w.add(a, of, of.component == kBool ? 1 : HUGE_VAL);
    w.add(b, with, with.component == kBool ? 1 : HUGE_VAL);
    w.statements(w.pick(4));
    if (w.chance(2)) {
        const std::string early = text.fresh(), late = text.fresh();
        const std::string isEarly = w.condition();
        text.line(std::format("OpSelectionMerge {} None", late));
        text.line(std::format("OpBranchConditional {} {} {}", isEarly, early, late));
        text.label(early);
        text.line("OpReturnValue " + (w.chance(2) ? a : w.load(of).id));
        text.label(late);
    }
    if (w.chance(2)) text.line(std::format("OpStore {} {}", c, w.take(of).id));
    w.statements(w.pick(2));
    text.line("OpReturnValue " + w.take(of).id);
    text.endFunction();
    w.isInFunction = false;
    w.live = outer;
    const std::string variable = w.local(result);
    text.line(std::format("OpStore {} {}", variable, z.id));
    const double bound = of.component == kBool ? 1 : HUGE_VAL;
    const std::string once = w.op("OpFunctionCall", result, {function, x.id, y.id, variable});
    w.add(once, of, bound);
    if (w.chance(3))
        w.add(w.op("OpFunctionCall", result, {function, once, w.take(with).id, variable}), of,
              bound);
    return w.add(w.op("OpLoad", result, {variable}), of, bound);
}

constexpr LongStatement kLongControl[] = {branch, branch, loop, loop, call};

}  // namespace

std::span<const LongStatement> longControl() { return kLongControl; }

}  // namespace coopvk::programs
