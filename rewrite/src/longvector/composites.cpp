// SPDX-License-Identifier: Apache-2.0
//
// Composites with long vectors in them, and long vectors made of parts.
#include "ir/composites.hpp"

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "longvector/function.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

namespace {

// The type that the indices of OpCompositeExtract or OpCompositeInsert select.
Id selectedType(const Module& module, Id type, std::span<const Operand> indices) {
    for (const Operand& index : indices) type = memberType(module, type, index.word);
    return type;
}

}  // namespace

std::vector<Id> LongVectorFunction::componentsOf(Id value) {
    if (context_.vectorOfValue(value) == nullptr) return emit().parts(value);
    return values_.components(value);
}

void LongVectorFunction::lowerExtract(const Instruction& i) {
    const LongVector* vector = context_.vectorOfValue(i.word(0));
    if (vector != nullptr) {
        if (group_.has(i.word(0)) && !group_.isShort()) group_.flush();
        const Id part = component(i.word(0), values_.index(i.word(1)));
        emit().op(OpCopyObject, i.type, {part}, i.result);
        return;
    }
    group_.flush();
    if (const auto pair = pairs_.find(i.word(0)); pair != pairs_.end()) {
        const Id variable = pair->second[i.word(1)];
        values_.setVariable(i.result, variable);
        slots_.pass(variable, i.result);
        return;
    }
    const Id type =
        selectedType(module_, emit().typeOf(i.word(0)), std::span(i.operands).subspan(1));
    values_.defineByWhole(i.result, emit().op(OpCompositeExtract, type, Operands(i.operands)));
}

void LongVectorFunction::lowerDynamicExtract(const Instruction& i) {
    const std::optional<uint64_t> known = module_.constantValue(i.word(1));
    const bool isAlone = group_.isShort() && (known || !group_.readsOtherLanes());
    if (group_.has(i.word(0)) && !isAlone) group_.flush();
    const LongVector& vector = *context_.vectorOfValue(i.word(0));
    ComponentIndex at = {i.word(1), std::nullopt};
    if (known) at = values_.index(static_cast<uint32_t>(*known % vector.count));
    emit().op(OpCopyObject, i.type, {component(i.word(0), at)}, i.result);
}

// A value that nothing else needs gives its variable to the result.
void LongVectorFunction::insertAt(const Instruction& i, Id composite, Id object,
                                  ComponentIndex at) {
    const LongVector& vector = *context_.vector(i.type);
    if (vector.isCooperative) {
        emit().op(OpVectorInsertDynamic, i.type, {composite, object, at.id}, i.result);
        return;
    }
    const bool isLast =
        liveness_.uses(composite) == 1 && isFromHere(composite) && values_.owns(composite);
    if (isLast && !values_.isPlaced(i.result)) {
        values_.passVariable(composite, i.result);
    } else {
        values_.copy(composite, values_.newVariableFor(i.result));
    }
    values_.store(i.result, at, object);
}

void LongVectorFunction::lowerInsert(const Instruction& i) {
    if (context_.vector(i.type) != nullptr) {
        return insertAt(i, i.word(1), i.word(0), values_.index(i.word(2)));
    }
    const Id type = selectedType(module_, i.type, std::span(i.operands).subspan(2));
    Operands operands = i.operands;
    operands[0].word = values_.whole(i.word(0), type);
    emit().op(i.opcode, i.type, std::move(operands), i.result);
}

void LongVectorFunction::lowerDynamicInsert(const Instruction& i) {
    insertAt(i, i.word(0), i.word(1), {i.word(2), std::nullopt});
}

void LongVectorFunction::lowerConstruct(const Instruction& i) {
    const LongVector* vector = context_.vector(i.type);
    if (vector == nullptr) {
        const bool isCoreVector = module_.def(i.type).opcode == OpTypeVector;
        std::vector<Id> constituents;
        for (size_t m = 0; m < i.operands.size(); ++m) {
            const Id value = i.word(m);
            if (context_.vectorOfValue(value) == nullptr) {
                constituents.push_back(value);
            } else if (isCoreVector) {
                for (const Id part : values_.components(value)) constituents.push_back(part);
            } else {
                constituents.push_back(values_.whole(value, memberType(module_, i.type, m)));
            }
        }
        emit().construct(i.type, constituents, i.result);
        return;
    }
    std::vector<Id> parts;
    for (const Operand& o : i.operands) {
        const std::vector<Id> more = componentsOf(o.word);
        parts.insert(parts.end(), more.begin(), more.end());
    }
    if (parts.size() != vector->count) {
        context_.fail(ErrorCode::kInvalidModule, i,
                      "the constituents are not as many components of the type as it has");
        return;
    }
    values_.define(i.result, i.type, parts);
}

void LongVectorFunction::lowerShuffle(const Instruction& i) {
    const auto countOf = [&](Id value) {
        const LongVector* vector = context_.vectorOfValue(value);
        return vector ? vector->count : context_.types.components(emit().typeOf(value));
    };
    const uint32_t first = countOf(i.word(0)), all = first + countOf(i.word(1));
    const Id scalar = context_.vector(i.type) ? context_.vector(i.type)->component
                                              : context_.types.scalarOf(i.type);
    std::vector<Id> parts;
    for (size_t o = 2; o < i.operands.size(); ++o) {
        const uint32_t number = i.word(o);
        if (number >= all) {
            if (number != ~0u) {
                context_.fail(ErrorCode::kInvalidModule, i, "an index is beyond the vectors");
                return;
            }
            parts.push_back(emit().op(OpUndef, scalar, Operands{}));
            continue;
        }
        const Id value = number < first ? i.word(0) : i.word(1);
        const uint32_t c = number < first ? number : number - first;
        parts.push_back(context_.vectorOfValue(value) ? values_.component(value, values_.index(c))
                                                      : emit().extract(scalar, value, {c}));
    }
    if (context_.vector(i.type)) {
        values_.define(i.result, i.type, parts);
    } else {
        emit().construct(i.type, parts, i.result);
    }
}

// The numbers of components differ: the bits of all components follow each other.
void LongVectorFunction::lowerBitcast(const Instruction& i) {
    const LongVector* to = context_.vector(i.type);
    const Id scalar = to != nullptr ? to->component : context_.types.scalarOf(i.type);
    const std::vector<Id> parts = componentsOf(i.word(0));
    const std::vector<Slot> slots = slotsOf(emit(), parts);
    const uint32_t count = to != nullptr ? to->count : context_.types.components(i.type);
    if (parts.size() * context_.types.width(emit().typeOf(parts[0])) !=
        size_t{count} * context_.types.width(scalar)) {
        context_.fail(ErrorCode::kInvalidModule, i,
                      "a bit cast's operand and result have as many bits");
        return;
    }
    const std::vector<Slot> cast = regroup(emit(), slots, emit().typeOf(parts[0]), scalar);
    const std::vector<Id> components = scalarsOf(emit(), scalar, cast);
    if (to != nullptr) {
        values_.define(i.result, i.type, components);
    } else if (components.size() == 1) {
        emit().op(OpCopyObject, i.type, {components[0]}, i.result);
    } else {
        emit().construct(i.type, components, i.result);
    }
}

std::optional<LongVectorFunction::Pair> LongVectorFunction::pairOf(const Instruction& i) {
    const Instruction& type = module_.def(i.type);
    Pair pair;
    for (size_t m = 0; m < 2; ++m) {
        pair.vectors[m] = context_.vectorOrInMemory(type.word(m));
        if (pair.vectors[m] == nullptr) {
            context_.fail(ErrorCode::kUnsupported, i, "takes no long vector");
            return std::nullopt;
        }
        pair.scalars[m] = pair.vectors[m]->component;
        // Components of cooperative vectors cannot be stored in a loop.
        pair.isLooped &= pair.vectors[m]->isLooped() && !pair.vectors[m]->isCooperative;
    }
    pair.type = context_.types.structType(pair.scalars);
    return pair;
}

std::array<Id, 2> LongVectorFunction::pairAt(const Instruction& i, const Pair& pair,
                                             ComponentIndex at) {
    Operands operands = i.operands;
    for (Operand& o : operands) {
        if (o.isId && context_.vectorOfValue(o.word)) o.word = component(o.word, at);
    }
    const Id result = emit().op(i.opcode, pair.type, std::move(operands));
    return {emit().extract(pair.scalars[0], result, {0}),
            emit().extract(pair.scalars[1], result, {1})};
}

// The members of the result, each in a variable.
std::array<Id, 2> LongVectorFunction::lowerPairInLoop(const Instruction& i, const Pair& pair) {
    const bool isTakenApart = context_.takenApart.contains(i.result);
    std::array<Id, 2> variables{};
    for (size_t m = 0; m < 2; ++m) {
        const Id type = pair.vectors[m]->id;
        variables[m] = isTakenApart ? slots_.take(i.result, type) : slots_.temporary(type);
    }
    values_.each(*pair.vectors[0], [&](ComponentIndex at) {
        const std::array<Id, 2> parts = pairAt(i, pair, at);
        for (uint32_t m = 0; m < 2; ++m) {
            emit().store(emit().chain(pair.scalars[m], {variables[m], at.id}), parts[m]);
        }
    });
    return variables;
}

// Instructions whose result is a structure of two vectors.
void LongVectorFunction::lowerPair(const Instruction& i) {
    const std::optional<Pair> pair = pairOf(i);
    if (!pair) return;
    const Instruction& type = module_.def(i.type);
    std::array<Id, 2> members{};
    if (pair->isLooped) {
        const std::array<Id, 2> variables = lowerPairInLoop(i, *pair);
        if (context_.takenApart.contains(i.result)) {
            pairs_[i.result] = variables;
            return;
        }
        for (size_t m = 0; m < 2; ++m) {
            members[m] = emit().load(pair->vectors[m]->id, variables[m]);
            if (type.word(m) != pair->vectors[m]->id)  // the structure is in memory, too
                members[m] = emit().construct(type.word(m), emit().parts(members[m]));
        }
    } else {
        std::array<std::vector<Id>, 2> parts;
        for (uint32_t c = 0; c < pair->vectors[0]->count; ++c) {
            const std::array<Id, 2> both = pairAt(i, *pair, values_.index(c));
            for (size_t m = 0; m < 2; ++m) parts[m].push_back(both[m]);
        }
        for (size_t m = 0; m < 2; ++m) members[m] = emit().construct(type.word(m), parts[m]);
    }
    emit().construct(i.type, members, i.result);
}

// The types of what two pointers point to may differ by their layouts.
void LongVectorFunction::lowerCopyMemory(const Instruction& i) {
    const LongVector& vector = *context_.vectorOrInMemory(module_.pointee(i.word(0)));
    const uint32_t bytes = std::max(context_.types.width(vector.component) / 8, 1u);
    const CopyOperands operands = copyOperands(i);
    values_.each(vector, [&](ComponentIndex at) {
        const Id from = values_.componentPointer(i.word(1), vector, at);
        const Id part = emit().load(vector.component, from, operands.source.forLoad(bytes));
        emit().store(values_.componentPointer(i.word(0), vector, at), part,
                     operands.target.forStore(bytes));
    });
}

// The same numbers in a value of another type, which has an array where the other has a cooperative
// vector.
Id LongVectorFunction::logicalCopy(Id value, Id to) {
    const Id from = emit().typeOf(value);
    if (from == to) return value;
    if (!context_.withCooperative.contains(to)) {
        return emit().op(OpCopyLogical, to, {value});
    }
    const LongVector* vector = context_.vectorOrInMemory(from);
    const auto count =
        static_cast<uint32_t>(vector ? vector->count : memberCount(module_, from).value_or(0));
    std::vector<Id> parts;
    for (uint32_t m = 0; m < count; ++m) {
        const Id type = vector ? vector->component : memberType(module_, from, m);
        const Id part = emit().extract(type, value, {m});
        parts.push_back(vector ? part : logicalCopy(part, memberType(module_, to, m)));
    }
    return emit().construct(to, parts);
}

void LongVectorFunction::lowerCopyLogical(const Instruction& i) {
    emit().op(OpCopyObject, i.type, {logicalCopy(i.word(0), i.type)}, i.result);
}

}  // namespace coopvk::rewrite
