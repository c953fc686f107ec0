// SPDX-License-Identifier: Apache-2.0
//
// Instructions that only other stages than compute have: those that lists script, vertices,
// derivatives, and the ends of fragments.
#include "execution/opcode_table.hpp"
#include "execution/tangles.hpp"
#include "stages/lists.hpp"

namespace coopvk::reference {
namespace {

using enum StageList::Kind;

const Variable* variableAt(const Subgroup& s, uint32_t slot) {
    const auto found = std::ranges::find(s.program->variables, slot, &Variable::slot);
    return found != s.program->variables.end() ? &*found : nullptr;
}

// A payload, the data of a callable or the attributes of a hit: what the instruction reads, and
// what others make of it.
void passVariable(Subgroup& s, const Variable& variable, bool isRead,
                  const std::function<uint32_t(uint32_t)>& number) {
    const Value value = s.variable(variable.offset, *variable.type);
    StageList list = variable.list;
    list.kind = kTaken;
    if (isRead) appendTo(s, list, value, s.mask);
    list.kind = kGiven;
    readList(s, list, value, s.mask, number);
}

// An event gets the next values; what asks gets those of the last event.
Step scripted(Subgroup& s) {
    const Script script = scriptOf(s.at->opcode);
    const bool isEvent = script != Script::kAsks;
    const auto opcode = uint32_t(s.at->opcode);
    const StageList events{.kind = kResult};  // of any opcode: it has no values
    const StageList own{.kind = kResult, .of = opcode};
    const auto number = [&](uint32_t lane) { return s.lists->of(isEvent ? own : events, lane); };
    if (s.at->opcode == OpReportIntersectionKHR) takeHit(s);
    for (uint32_t n = 0; n < s.operands(); ++n) {
        if (s.slot(n) == kNone) continue;
        const Type& type = *s.operand(n).type;
        if (type.kind == Kind::kPointer) {
            const Variable* variable = variableAt(s, s.slot(n));
            if (variable != nullptr && variable->lists != nullptr && variable->type != nullptr &&
                variable->lists->isRepeated)
                passVariable(s, *variable, isEvent, number);
        } else if (isEvent && type.components > 0) {
            appendTo(s, {.kind = kOperand, .of = opcode, .number = n}, s.operand(n), s.mask);
        }
    }
    if (s.at->result != kNone && s.type().components > 0)
        readList(s, own, s.result(), s.mask, number);
    if (!isEvent) return Step::kNext;
    s.mask.forEach([&](uint32_t lane) {
        ++s.lists->of(own, lane);
        ++s.lists->of(events, lane);
    });
    if (script != Script::kEnds) return Step::kNext;
    endEarly(s, opcode, s.mask);
    finishInvocations(s, s.mask);
    return endLanes(s);
}
constexpr OpcodeRow kScriptedRow = {kScripted, scripted, Defined::kHandler, nullptr};

template <auto kFunction>
void onlyWithLists(Subgroup& s) {
    if (s.lists != nullptr) kFunction(s);
}

// The lanes go on as helpers: what they store goes nowhere.
void demote(Subgroup& s) {
    endEarly(s, kKilled, s.mask);
    s.helpers |= s.mask;
}
void isHelper(Subgroup& s) {
    setLanes(s, [&](uint32_t lane) { return s.helpers.test(lane); });
}

// The difference of two lanes of the quad: those that differ in `bit`, in this lane's row or
// column, or in the first one.
enum class Of : uint8_t { kLane, kQuad };
uint64_t difference(Subgroup& s, const Value& from, uint32_t c, uint32_t first, uint32_t bit) {
    const Type& type = scalarOf(s.type());
    return operations::combineFloats<operations::subtract>(
        *s.program, type, from.at(c, first | bit), from.at(c, first & ~bit));
}
bool hasBoth(const Subgroup& s, const Value& from, uint32_t c, uint32_t first, uint32_t bit) {
    for (const uint32_t lane : {first | bit, first & ~bit})
        if (!s.mask.test(lane) || !from.isDefined(c, lane)) return false;
    return true;
}

template <uint32_t kBit, Of kOf>
void derivative(Subgroup& s, Out result, In from) {
    s.mask.forEach([&](uint32_t lane) {
        const uint32_t first = kOf == Of::kLane ? lane : lane & ~3u;
        for (uint32_t c = 0; c < result.components(); ++c)
            result.set(c, lane,
                       hasBoth(s, from, c, first, kBit)
                           ? Element{difference(s, from, c, first, kBit)}
                           : kUndefined);
    });
}

// "the sum of the absolute values" of both.
template <Of kOf>
void width(Subgroup& s, Out result, In from) {
    const Type& type = scalarOf(s.type());
    const uint64_t sign = uint64_t{1} << (type.width - 1);
    s.mask.forEach([&](uint32_t lane) {
        const uint32_t first = kOf == Of::kLane ? lane : lane & ~3u;
        for (uint32_t c = 0; c < result.components(); ++c) {
            const bool has = hasBoth(s, from, c, first, 1) && hasBoth(s, from, c, first, 2);
            const uint64_t sum = operations::combineFloats<operations::add>(
                *s.program, type, difference(s, from, c, first, 1) & ~sign,
                difference(s, from, c, first, 2) & ~sign);
            result.set(c, lane, has ? Element{sum} : kUndefined);
        }
    });
}

// Invocations of one pixel are alone.
void nothing(Subgroup&) {}

// Plain ones may be either.
constexpr OpcodeRow kStageRows[] = {
    row<onlyWithLists<emitVertex>>(OpEmitVertex),
    row<onlyWithLists<endPrimitive>>(OpEndPrimitive),
    row<demote>(OpDemoteToHelperInvocation),
    row<isHelper>(OpIsHelperInvocationEXT, Defined::kAlways),
    row<derivative<1, Of::kLane>>(OpDPdx),
    row<derivative<1, Of::kLane>>(OpDPdxFine),
    row<derivative<1, Of::kQuad>>(OpDPdxCoarse),
    row<derivative<2, Of::kLane>>(OpDPdy),
    row<derivative<2, Of::kLane>>(OpDPdyFine),
    row<derivative<2, Of::kQuad>>(OpDPdyCoarse),
    row<width<Of::kLane>>(OpFwidth),
    row<width<Of::kLane>>(OpFwidthFine),
    row<width<Of::kQuad>>(OpFwidthCoarse),
    row<nothing>(OpBeginInvocationInterlockEXT),
    row<nothing>(OpEndInvocationInterlockEXT),
};

}  // namespace

Rows stageRows() { return kStageRows; }

const OpcodeRow* scriptedRow(spv::Op opcode) {
    return scriptOf(opcode) != Script::kNone ? &kScriptedRow : nullptr;
}

}  // namespace coopvk::reference
