// SPDX-License-Identifier: Apache-2.0
//
// Composites, vectors, copies, selection (SPIR-V, 3.52.12). A cooperative matrix is a composite of
// the components of its lane.

#include "execution/opcode_table.hpp"

namespace coopvk::reference {
namespace {

// The component at which indices lead into the composite before them.
template <uint32_t kComposite>
Status prepareIndices(Program& program, Instruction& i) {
    uint32_t component = 0;
    const Type* type = program.slotAt(i, kComposite).type;
    for (uint32_t n = kComposite + 1; n < i.operands.size(); ++n) {
        const uint32_t index = i[n].word;
        const bool isStruct = type->kind == Kind::kStruct;
        const uint64_t count = isStruct ? type->members.size() : type->count;
        if (!type->isComposite() || index >= count)
            return invalid("an index is outside of its composite");
        component += isStruct ? type->members[index].component : index * type->element->components;
        type = pointeeOf({type}, index).type;
    }
    return prepared(i, component);
}

// One constituent for all components of a matrix; vectors from scalars and vectors.
void construct(Subgroup& s, Out result) {
    const bool replicates = s.type().kind == Kind::kCooperativeMatrix ||
                            s.at->opcode == OpCompositeConstructReplicateEXT;
    for (uint32_t n = 0, to = 0; to < result.components() && (replicates || n < s.operands());
         ++n) {
        const Value& from = s.operand(replicates ? 0 : n);
        const uint32_t count = std::min(from.components(), result.components() - to);
        copyComponents(s, result, to, from, 0, count, s.mask);
        to += count;
    }
}

void extract(Subgroup& s, Out result, In from) {
    copyComponents(s, result, 0, from, s.plan<uint32_t>(), result.components(), s.mask);
}

void insert(Subgroup& s, Out result, In object, In composite) {
    copyValue(s, result, composite, s.mask);
    copyComponents(s, result, s.plan<uint32_t>(), object, 0, object.components(), s.mask);
}

void copy(Subgroup& s, Out result, In from) { copyValue(s, result, from, s.mask); }

// A copy of a pointer points to the same.
Status prepareCopy(Program& program, Instruction& i) {
    if (i[0].slot == kNone) return Done{};
    const Slot& from = program.slotAt(i, 0);
    Slot& to = program.slots[i.result];
    to.pointee = from.pointee;
    to.object = from.object;
    to.ofDescriptors = from.ofDescriptors;
    return Done{};
}

// A literal of 0xFFFFFFFF: the component is undefined.
void shuffle(Subgroup& s, Out result, In a, In b) {
    for (uint32_t c = 0; c < result.components(); ++c) {
        const uint32_t from = s.word(2 + c);
        if (from < a.components())
            copyComponents(s, result, c, a, from, 1, s.mask);
        else if (from - a.components() < b.components())
            copyComponents(s, result, c, b, from - a.components(), 1, s.mask);
        else
            result.defined[c] &= ~s.mask;
    }
}

// Nothing: outside of the vector (reported).
std::optional<uint32_t> indexAt(Subgroup& s, const Value& index, const Value& vector,
                                uint32_t lane) {
    const int64_t at = signExtend(index.at(0, lane), index.type->width);
    if (at >= 0 && at < vector.components()) return uint32_t(at);
    s.report(kCheckBounds, lane,
             std::format("component {} of a vector of {}", at, vector.components()));
    return std::nullopt;
}

void extractDynamic(Subgroup& s, Out result, In from, In index) {
    s.uses({kEventIndex, 1});
    s.mask.forEach([&](uint32_t lane) {
        const auto at = indexAt(s, index, from, lane);
        if (at)
            copyComponents(s, result, 0, from, *at, 1, LaneMask::one(lane));
        else
            result.set(0, lane, kUndefined);
    });
    result.defined[0] &= index.defined[0] | ~s.mask;
}

void insertDynamic(Subgroup& s, Out result, In from, In object, In index) {
    s.uses({kEventIndex, 2});
    copyValue(s, result, from, s.mask);
    s.mask.forEach([&](uint32_t lane) {
        const auto at = indexAt(s, index, result, lane);
        if (!at) return;
        copyComponents(s, result, *at, object, 0, 1, LaneMask::one(lane));
        if (!index.isDefined(0, lane)) result.defined[*at].clear(lane);
    });
}

// Operands: condition (a scalar, or a vector for each component), then, else. What is not chosen
// may be undefined.
void select(Subgroup& s, Out result, In condition, In then, In other) {
    const bool each = condition.components() > 1;
    LaneMask taken;
    for (uint32_t c = 0; c < result.components(); ++c) {
        const uint32_t at = each ? c : 0;
        if (c == 0 || each) taken = lanesWith(s, condition.component(at));
        forLanes(s, [&](uint32_t lane) {
            result.at(c, lane) = condition.at(at, lane) != 0 ? then.at(c, lane) : other.at(c, lane);
        });
        if (!s.strays.empty() || !s.holes.empty()) {  // more goes with a value than its bits
            copyComponents(s, result, c, then, c, 1, s.mask & taken);
            copyComponents(s, result, c, other, c, 1, s.mask & ~taken);
        }
        const LaneMask chosen = (taken & then.defined[c]) | (~taken & other.defined[c]);
        result.define(c, condition.defined[at] & chosen, s.mask);
    }
}

void transpose(Subgroup& s, Out result, In from) {
    const uint32_t columns = from.type->count, rows = from.type->element->count;
    for (uint32_t column = 0; column < columns; ++column)
        for (uint32_t r = 0; r < rows; ++r)
            copyComponents(s, result, r * columns + column, from, column * rows + r, 1, s.mask);
}

// A variable is undefined, or has its initializer, each time that its function starts.
void variable(Subgroup& s, Out pointer) {
    const Type& type = *s.program->slots[s.at->result].pointee.type;
    const Value to = s.variable(pointer.at(1, 0), type);
    if (s.operands() > 1)
        copyValue(s, to, s.operand(1), s.mask);
    else
        for (uint32_t c = 0; c < type.components; ++c) to.defined[c] &= ~s.mask;
}

constexpr OpcodeRow kCompositeRows[] = {
    row<construct>(OpCompositeConstruct),
    row<construct>(OpCompositeConstructReplicateEXT),
    row<extract>(OpCompositeExtract, Defined::kHandler, prepareIndices<0>),
    row<insert>(OpCompositeInsert, Defined::kHandler, prepareIndices<1>),
    row<copy>(OpCopyObject, Defined::kHandler, prepareCopy),
    row<copy>(OpCopyLogical),
    row<copy>(OpExpectKHR),
    // Some value, but always the same: undefined components count as defined from here on.
    row<copy>(OpFreezeKHR, Defined::kAlways),
    row<shuffle>(OpVectorShuffle),
    row<extractDynamic>(OpVectorExtractDynamic),
    row<insertDynamic>(OpVectorInsertDynamic),
    row<select>(OpSelect),
    row<transpose>(OpTranspose),
    row<variable>(OpVariable),
};

}  // namespace

Rows compositeRows() { return kCompositeRows; }

}  // namespace coopvk::reference
