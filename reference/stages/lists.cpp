// SPDX-License-Identifier: Apache-2.0
#include "stages/lists.hpp"

#include <cstring>

#include "execution/shadow.hpp"

namespace coopvk::reference {
namespace {

// Where a list has a value of a lane.
struct Place {
    const Range* range = nullptr;
    uint64_t section = 0;  // bytes of an invocation

    Place(const Subgroup& s, const StageList& list)
        : range(s.group->resources->list(list)),
          section(range != nullptr ? range->size / s.program->stage->invocations : 0) {}
    // The byte of value `number` of `size` bytes; nothing if the list does not go so far.
    std::optional<uint64_t> at(const Subgroup& s, uint32_t lane, uint32_t number,
                               uint64_t size) const {
        const uint64_t invocation = uint64_t{s.index} * s.lanes + lane;
        const bool has =
            invocation < s.program->stage->invocations && size > 0 && number < section / size;
        return has ? std::optional(invocation * section + number * size) : std::nullopt;
    }
};

Element readLeaf(const Subgroup& s, uint32_t lane, const Range& range, uint64_t offset,
                 const Leaf& leaf) {
    const uint64_t at = offset + leaf.bit / 8, size = (leaf.bits + 7) / 8;
    uint64_t word = 0;
    std::memcpy(&word, range.data + at, size);
    const Deviation deviation = range.deviations != nullptr && s.shadow != nullptr
                                    ? s.shadow->read(s, lane, range.deviations + at, word,
                                                     uint32_t(leaf.bit % 8), leaf.bits)
                                    : 0;
    const uint64_t bits = word >> leaf.bit % 8 & lowBits(leaf.bits);
    return {leaf.isBool ? bits != 0 : bits, true, deviation};
}

// Of each quad with helpers, at least one invocation is none.
LaneMask chooseHelpers(const Workgroup& group, const Subgroup& s) {
    LaneMask helpers;
    for (uint32_t quad = 0; quad < s.lanes / 4; ++quad) {
        const uint64_t random = spread(group.settings->seed * 0x9E3779B97F4A7C15 + quad + 1);
        if ((random & 1) == 0) continue;
        for (uint32_t lane = 0; lane < 4; ++lane)
            if ((random >> (8 + lane) & 1) != 0 && lane != (random >> 16 & 3))
                helpers.set(quad * 4 + lane);
    }
    return helpers;
}

constexpr Type kWord{.kind = Kind::kInt, .width = 32, .components = 1};

// It has no values: their number is that of the vertices.
constexpr StageList kVertices{.kind = StageList::Kind::kEnd, .of = uint32_t(OpEmitVertex)};
// The same of OpEndPrimitive: how many vertices there were.
constexpr StageList kEnded{.kind = StageList::Kind::kEnd, .of = uint32_t(OpEndPrimitive)};

template <typename Word>
void appendEnds(Subgroup& s, LaneMask lanes, Word word) {
    const OwnValue value(kWord, s.lanes);
    for (uint32_t lane = 0; lane < s.lanes; ++lane) value.at(0, lane) = word(lane);
    appendTo(s, {.kind = StageList::Kind::kEnd}, value, lanes);
}

void takeVariables(Subgroup& s, LaneMask lanes, bool (*isTaken)(const ListStorage&)) {
    for (const Variable& variable : s.program->variables)
        if (variable.lists != nullptr && !variable.lists->isShared && variable.type != nullptr &&
            holdsComponents(variable.storage) && isTaken(*variable.lists)) {
            StageList list = variable.list;
            list.kind = StageList::Kind::kTaken;
            appendTo(s, list, s.variable(variable.offset, *variable.type), lanes);
        }
}

}  // namespace

void readList(Subgroup& s, const StageList& list, const Value& to, LaneMask lanes,
              const std::function<uint32_t(uint32_t lane)>& number) {
    const Place place(s, list);
    const Pointee type{to.type};
    const std::vector<Leaf> leaves = leavesOf(type);
    lanes.forEach([&](uint32_t lane) {
        const auto at = place.at(s, lane, number(lane), sizeOf(type));
        if (!at && s.shadow != nullptr) s.shadow->endList(s, lane);
        for (uint32_t c = 0; c < leaves.size(); ++c)
            to.set(c, lane, at ? readLeaf(s, lane, *place.range, *at, leaves[c]) : Element{});
    });
}

void appendTo(Subgroup& s, const StageList& list, const Value& value, LaneMask lanes) {
    const Place place(s, list);
    const Pointee type{value.type};
    const std::vector<Leaf> leaves = leavesOf(type);
    (lanes & ~s.helpers).forEach([&](uint32_t lane) {
        const auto at = place.at(s, lane, s.lists->of(list, lane)++, sizeOf(type));
        if (!at && s.shadow != nullptr) s.shadow->endList(s, lane);
        if (!at) return;
        const auto base = reinterpret_cast<uint64_t>(place.range);
        const Memory memory{s, {spv::StorageClass::StorageBuffer, base, *at}};
        for (uint32_t c = 0; c < leaves.size(); ++c)
            if (const Element element = value.get(c, lane); element.defined)
                memory.write(lane, leaves[c].bit, leaves[c].bits, element);
    });
}

void startInvocations(Workgroup& group, Subgroup& s) {
    const Program& program = *group.program;
    s.helpers = program.stage->hasQuads ? chooseHelpers(group, s) : LaneMask{};
    // "Helper invocations may become inactive at any time for any reason", but for operations on
    // quads (Vulkan, "Helper Invocations").
    if (program.stage->hasQuads) {
        s.all = LaneMask::firstLanes(s.lanes);
        if (!program.usesQuads && group.settings->schedule == Choice::kAdversarial)
            s.all &= ~s.helpers;
    }
    if (program.isScripted && s.lists == nullptr) s.lists = std::make_shared<ListCounts>();
    if (s.lists != nullptr) s.lists->clear();
    for (const Variable& variable : program.variables) {
        if (setBuiltIn(group, s, variable) || variable.lists == nullptr ||
            variable.type == nullptr || !holdsComponents(variable.storage))
            continue;
        if (!variable.lists->isGiven) continue;
        const Value value = s.variable(variable.offset, *variable.type);
        readList(s, variable.list, value, s.all, [](uint32_t) { return 0; });
    }
}

void finishInvocations(Subgroup& s, LaneMask lanes) {
    if (s.lists == nullptr) return;
    const bool emits = s.program->stage->emits;
    takeVariables(
        s, lanes,
        emits ? [](const ListStorage&) { return false; }
              : [](const ListStorage& storage) { return storage.isTaken; });
}

// GLSL 4.60, 8.15: "A geometry shader starts with an output primitive containing no vertices. When
// a geometry shader terminates, the current output primitive is automatically completed." So where
// a primitive ends counts only if another one has a vertex.
void emitVertex(Subgroup& s) {
    LaneMask another;
    s.mask.forEach([&](uint32_t lane) {
        const uint32_t vertices = s.lists->of(kVertices, lane);
        if (vertices != 0 && s.lists->of(kEnded, lane) == vertices) another.set(lane);
    });
    appendEnds(s, another, [&](uint32_t lane) { return s.lists->of(kVertices, lane); });
    s.mask.forEach([&](uint32_t lane) { ++s.lists->of(kVertices, lane); });
    takeVariables(s, s.mask, [](const ListStorage& storage) { return storage.isTaken; });
    // OpEmitVertex: "After execution, the values of all output variables are undefined".
    for (const Variable& variable : s.program->variables) {
        if (variable.lists == nullptr || !variable.lists->isTaken || variable.type == nullptr ||
            !holdsComponents(variable.storage))
            continue;
        const Value value = s.variable(variable.offset, *variable.type);
        for (uint32_t c = 0; c < value.components(); ++c) value.define(c, {}, s.mask);
    }
}

void endPrimitive(Subgroup& s) {
    s.mask.forEach(
        [&](uint32_t lane) { s.lists->of(kEnded, lane) = s.lists->of(kVertices, lane); });
}

void takeHit(Subgroup& s) {
    takeVariables(s, s.mask, [](const ListStorage& storage) {
        return storage.storage == spv::StorageClass::HitAttributeKHR;
    });
}

void endEarly(Subgroup& s, uint32_t how, LaneMask lanes) {
    if (s.lists != nullptr) appendEnds(s, lanes, [&](uint32_t) { return how; });
}

const Range* sharedList(const Workgroup& group, const Variable& variable) {
    StageList list = variable.list;
    if (!variable.lists->isGiven) list.kind = StageList::Kind::kTaken;
    return group.resources->list(list);
}

}  // namespace coopvk::reference
