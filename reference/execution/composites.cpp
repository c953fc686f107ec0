// SPDX-License-Identifier: Apache-2.0
//
// Composites, vectors, copies, selection (SPIR-V, 3.52.12). A cooperative matrix is a composite of
// the components of its lane.
#include <algorithm>
#include <format>
#include <optional>

#include "execution/opcode_table.hpp"

namespace coopvk::reference {
namespace {

struct Indices final : Prepared {
    uint32_t component = 0;
};

// The component at which indices lead into the composite before them.
template <uint32_t kComposite>
Status prepareIndices(Program& program, Instruction& i) {
    auto indices = std::make_shared<Indices>();
    const Type* type = program.slots[i[kComposite].slot].type;
    for (uint32_t n = kComposite + 1; n < i.operands.size(); ++n) {
        const uint32_t index = i[n].word;
        const uint64_t count = type->kind == Kind::kStruct ? type->members.size() : type->count;
        if (!type->isComposite() || index >= count)
            return Error{ErrorCode::kInvalidModule, "an index is outside of its composite"};
        const Part part = partOf(*type, index);
        indices->component += part.component;
        type = part.type;
    }
    i.prepared = std::move(indices);
    return Done{};
}
uint32_t componentOf(const Instruction& i) {
    return static_cast<const Indices&>(*i.prepared).component;
}

// One constituent for all components of a matrix; vectors from scalars and vectors.
Step construct(Subgroup& s, const Instruction& i) {
    const Value result = s.result(i);
    const bool replicates =
        i.type->kind == Kind::kCooperativeMatrix || i.opcode == OpCompositeConstructReplicateEXT;
    const size_t operands = i.operands.size(), turns = replicates ? result.components() : 1;
    for (uint32_t n = 0, to = 0; n < turns * operands && to < result.components(); ++n) {
        const Value from = s.operand(i, uint32_t(n % operands));
        const uint32_t count = std::min(from.components(), result.components() - to);
        copyComponents(s, result, to, from, 0, count, s.mask);
        to += count;
    }
    return Step::kNext;
}

Step extract(Subgroup& s, const Instruction& i) {
    const Value result = s.result(i);
    copyComponents(s, result, 0, s.operand(i, 0), componentOf(i), result.components(), s.mask);
    return Step::kNext;
}

// Operands: object, composite, indices.
Step insert(Subgroup& s, const Instruction& i) {
    const Value object = s.operand(i, 0), result = s.result(i);
    copyValue(s, result, s.operand(i, 1), s.mask);
    copyComponents(s, result, componentOf(i), object, 0, object.components(), s.mask);
    return Step::kNext;
}

Step copy(Subgroup& s, const Instruction& i) {
    copyValue(s, s.result(i), s.operand(i, 0), s.mask);
    return Step::kNext;
}

// A copy of a pointer points to the same.
Status prepareCopy(Program& program, Instruction& i) {
    if (i[0].slot != kNone) program.slots[i.result].pointee = program.slots[i[0].slot].pointee;
    return Done{};
}

// A literal of 0xFFFFFFFF: the component is undefined.
Step shuffle(Subgroup& s, const Instruction& i) {
    const Value a = s.operand(i, 0), b = s.operand(i, 1), result = s.result(i);
    for (uint32_t c = 0; c < result.components(); ++c) {
        const uint32_t from = i[2 + c].word;
        if (from < a.components())
            copyComponents(s, result, c, a, from, 1, s.mask);
        else if (from - a.components() < b.components())
            copyComponents(s, result, c, b, from - a.components(), 1, s.mask);
        else
            result.defined[c] &= ~s.mask;
    }
    return Step::kNext;
}

// Nothing: outside of the vector (reported).
std::optional<uint32_t> indexAt(Subgroup& s, const Instruction& i, const Value& index,
                                const Value& vector, uint32_t lane) {
    const int64_t at = signExtend(index.at(0, lane), index.type->width);
    if (at >= 0 && at < vector.components()) return uint32_t(at);
    s.report(kCheckBounds, i, lane,
             std::format("component {} of a vector of {}", at, vector.components()));
    return std::nullopt;
}

Step extractDynamic(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), index = s.operand(i, 1), result = s.result(i);
    s.mask.forEach([&](uint32_t lane) {
        const auto at = indexAt(s, i, index, from, lane);
        if (at)
            copyComponents(s, result, 0, from, *at, 1, LaneMask::one(lane));
        else
            result.set(0, lane, kUndefined);
    });
    result.defined[0] &= index.defined[0] | ~s.mask;
    return Step::kNext;
}

Step insertDynamic(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), object = s.operand(i, 1), index = s.operand(i, 2);
    const Value result = s.result(i);
    copyValue(s, result, from, s.mask);
    s.mask.forEach([&](uint32_t lane) {
        const auto at = indexAt(s, i, index, result, lane);
        if (!at) return;
        copyComponents(s, result, *at, object, 0, 1, LaneMask::one(lane));
        if (!index.isDefined(0, lane)) result.defined[*at].clear(lane);
    });
    return Step::kNext;
}

// Operands: condition (a scalar, or a vector for each component), then, else. What is not chosen
// may be undefined.
Step select(Subgroup& s, const Instruction& i) {
    const Value condition = s.operand(i, 0), then = s.operand(i, 1), other = s.operand(i, 2);
    const Value result = s.result(i);
    const bool each = condition.components() > 1;
    LaneMask taken;
    for (uint32_t c = 0; c < result.components(); ++c) {
        const uint32_t at = each ? c : 0;
        if (c == 0 || each) taken = lanesWith(s, condition.component(at));
        forLanes(s, [&](uint32_t lane) {
            result.at(c, lane) = condition.at(at, lane) != 0 ? then.at(c, lane) : other.at(c, lane);
        });
        const LaneMask chosen = (taken & then.defined[c]) | (~taken & other.defined[c]);
        result.define(c, condition.defined[at] & chosen, s.mask);
    }
    return Step::kNext;
}

Step transpose(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    const uint32_t columns = from.type->count, rows = from.type->element->count;
    for (uint32_t column = 0; column < columns; ++column)
        for (uint32_t r = 0; r < rows; ++r)
            copyComponents(s, result, r * columns + column, from, column * rows + r, 1, s.mask);
    return Step::kNext;
}

// A variable is undefined, or has its initializer, each time that its function starts.
Step variable(Subgroup& s, const Instruction& i) {
    const Type* type = s.program->slots[i.result].pointee.type;
    if (type == nullptr || s.values[i.result].components() != 2) return Step::kNext;
    const uint64_t first = s.values[i.result].at(1, 0);
    const Value to = s.variable(first, *type);
    const uint32_t initializer = i.opcode == OpVariable ? 1 : 2;
    if (i.operands.size() > initializer && i[initializer].slot != kNone)
        copyValue(s, to, s.operand(i, initializer), s.mask);
    else
        for (uint32_t c = 0; c < type->components; ++c) to.defined[c] &= ~s.mask;
    return Step::kNext;
}

constexpr OpcodeRow kCompositeRows[] = {
    row(OpCompositeConstruct, construct),
    row(OpCompositeConstructReplicateEXT, construct),
    row(OpCompositeExtract, extract, Defined::kHandler, prepareIndices<0>),
    row(OpCompositeInsert, insert, Defined::kHandler, prepareIndices<1>),
    row(OpCopyObject, copy, Defined::kHandler, prepareCopy),
    row(OpCopyLogical, copy),
    row(OpExpectKHR, copy),
    // Some value, but always the same: undefined components count as defined from here on.
    row(OpFreezeKHR, copy, Defined::kAlways),
    row(OpVectorShuffle, shuffle),
    row(OpVectorExtractDynamic, extractDynamic),
    row(OpVectorInsertDynamic, insertDynamic),
    row(OpSelect, select),
    row(OpTranspose, transpose),
    row(OpVariable, variable),
    row(OpUntypedVariableKHR, variable),
};

}  // namespace

Rows compositeRows() { return kCompositeRows; }

}  // namespace coopvk::reference
