// SPDX-License-Identifier: Apache-2.0
#include "matrix/exchange.hpp"

#include <algorithm>

namespace coopvk::rewrite {

namespace {

// Where element `index` of a dealt axis is: in which lane of the axis, at which local place.
uint32_t laneOf(const Axis& axis, uint32_t index) { return index / axis.block % axis.lanes; }
uint32_t localOf(const Axis& axis, uint32_t index) {
    return index / (axis.lanes * axis.block) * axis.block + index % axis.block;
}

}  // namespace

Id Exchange::shuffle(Id word, Id lane) {
    context_.module.addCapability(spv::Capability::GroupNonUniformShuffle);
    const Id scope = types_.constantU32(static_cast<uint32_t>(spv::Scope::Subgroup));
    return writer_.emit().op(spv::Op::OpGroupNonUniformShuffle, types_.uint32(),
                             {scope, word, lane});
}

Slot Exchange::fromLane(const Slot& slot, Id lane) {
    Emitter& emit = writer_.emit();
    Id& result = shuffled_[{slot.value, lane}];
    if (result != 0) return {result, slot.index};
    const Id u32 = types_.uint32();
    const uint32_t width = types_.width(component_);
    // Whole 32-bit words: narrower values are filled up with zeros.
    std::vector<Slot> parts;
    appendSlots(emit, slot.value, parts);
    while (parts.size() * width % 32 != 0) {
        parts.push_back({types_.constantNull(component_), 0});
    }
    std::vector<Slot> words;
    for (const Slot& part : regroup(emit, parts, component_, u32)) {
        const Slot one[] = {part};
        words.push_back({shuffle(gather(emit, u32, one), lane), 0});
    }
    const std::vector<Slot> back = regroup(emit, words, u32, component_);
    result = gather(emit, component_, std::span(back).first(parts.size()));
    return {result, slot.index};
}

Slot Exchange::pick(std::span<const Slot> candidates, Id index) {
    Emitter& emit = writer_.emit();
    if (candidates.size() == 1) return candidates[0];
    const bool whole = std::ranges::all_of(candidates, [&](const Slot& slot) {
        return slot.index == candidates[0].index &&
               emit.typeOf(slot.value) == emit.typeOf(candidates[0].value);
    });
    std::vector<Id> key = {index};
    for (const Slot& slot : candidates) {
        const Slot one[] = {slot};
        key.push_back(whole ? slot.value : gather(emit, component_, one));
    }
    const uint32_t place = whole ? candidates[0].index : 0;
    Id& result = picked_[key];
    if (result != 0) return {result, place};
    const Id type = emit.typeOf(key[1]);
    Id value = key[1];
    for (uint32_t k = 1; k < candidates.size(); ++k) {
        Id& isK = is_[{index, k}];
        if (isK == 0) isK = emit.op(spv::Op::OpIEqual, types_.boolType(), {index, constant(k)});
        // Vectors of conditions: SPIR-V before 1.4 knows no other select of vectors.
        const Id condition =
            emit.splat(types_.vectorType(types_.boolType(), types_.components(type)), isK);
        value = emit.op(spv::Op::OpSelect, type, {condition, key[k + 1], value});
    }
    result = value;
    return {result, place};
}

Id Exchange::laneAt(Dimension d, Id along, Id other) {
    Emitter& emit = writer_.emit();
    const Id u32 = types_.uint32();
    if (d == Dimension::kColumns) std::swap(along, other);
    const Id start = emit.mulInt(u32, along, constant(context_.policy.grid.columns));
    return emit.addInt(u32, start, other);
}

HeldElements Exchange::gatherAxis(HeldElements& from, Dimension d) {
    HeldElements all = from;
    all.axis(d) = wholeAxis(from.axis(d).size);
    all.slots.resize(all.rows.count() * all.columns.count());
    const Axis& axis = from.axis(d);
    const Id coordinate = d == Dimension::kRows ? writer_.gridColumn() : writer_.gridRow();
    for (uint32_t i = 0; i < axis.size; ++i) {
        Id& lane = gridLanes_[{laneOf(axis, i), coordinate}];
        if (lane == 0) lane = laneAt(d, constant(laneOf(axis, i)), coordinate);
        for (uint32_t o = 0; o < from.axis(other(d)).count(); ++o) {
            all.at(d, i, o) = fromLane(from.at(d, localOf(axis, i), o), lane);
        }
    }
    return all;
}

HeldElements Exchange::dealAxis(HeldElements& from, Dimension d, const Axis& to) {
    HeldElements dealt =
        d == Dimension::kRows ? HeldElements(to, from.columns) : HeldElements(from.rows, to);
    const Id lane = laneOn(d, to);
    for (uint32_t row = 0; row < dealt.rows.count(); ++row) {
        for (uint32_t column = 0; column < dealt.columns.count(); ++column) {
            const bool isRow = d == Dimension::kRows;
            const uint32_t i = isRow ? row : column, o = isRow ? column : row;
            std::vector<Slot> candidates;
            for (uint32_t k = 0; k < to.lanes; ++k) {
                candidates.push_back(from.at(d, to.index(k, i), o));
            }
            dealt.at(row, column) = pick(candidates, lane);
        }
    }
    return dealt;
}

HeldElements holdValue(const MatrixType& matrix, Emitter& emit, Id value) {
    ElementSlots elements(matrix, emit, value);
    HeldElements held(matrix.fragment.rows, matrix.fragment.columns);
    for (uint32_t row = 0; row < held.rows.count(); ++row) {
        for (uint32_t column = 0; column < held.columns.count(); ++column) {
            held.at(row, column) = elements.at(row, column);
        }
    }
    return held;
}

void constructHeld(const MatrixType& matrix, Emitter& emit, HeldElements& held, Id result) {
    ElementSlots elements(matrix);
    for (uint32_t row = 0; row < held.rows.count(); ++row) {
        for (uint32_t column = 0; column < held.columns.count(); ++column) {
            elements.at(row, column) = held.at(row, column);
        }
    }
    elements.construct(emit, result);
}

}  // namespace coopvk::rewrite
