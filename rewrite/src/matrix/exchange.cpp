// SPDX-License-Identifier: Apache-2.0
#include "matrix/exchange.hpp"

#include <algorithm>

namespace coopvk::rewrite {

bool requireShuffles(MatrixContext& context, const Instruction& at) {
    if (context.target.device.subgroupShuffle) return true;
    return context.fail(ErrorCode::kUnsupported, at,
                        "moving elements of a matrix between lanes needs subgroup shuffles");
}

Id Exchange::shuffle(Id word, Id lane) {
    context_.module.addCapability(spv::Capability::GroupNonUniformShuffle);
    Emitter& emit = writer_.emit();
    return emit.op(spv::Op::OpGroupNonUniformShuffle, types_.uint32(),
                   {emit.scope(spv::Scope::Subgroup), word, lane});
}

Slot Exchange::fromLane(const Slot& slot, Id lane) {
    Emitter& emit = writer_.emit();
    Id& result = shuffled_[{slot.value, lane}];
    if (result != 0) return {result, slot.index};
    const Id u32 = types_.uint32();
    const std::vector<Slot> parts = slotsOf(emit, {&slot.value, 1});
    std::vector<Slot> words;
    for (const Slot& part : regroupFilled(emit, parts, component_, u32)) {
        words.push_back({shuffle(scalarOf(emit, u32, part), lane), 0});
    }
    const std::vector<Slot> back = regroup(emit, words, u32, component_);
    result = gather(emit, component_, back);
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
        key.push_back(whole ? slot.value : scalarOf(emit, component_, slot));
    }
    const uint32_t place = whole ? candidates[0].index : 0;
    Id& result = picked_[key];
    if (result != 0) return {result, place};
    const Id type = emit.typeOf(key[1]);
    Id value = key[1];
    for (uint32_t k = 1; k < candidates.size(); ++k) {
        Id& isK = is_[{index, k}];
        if (isK == 0) isK = emit.compare(spv::Op::OpIEqual, index, emit.constant(k));
        // SPIR-V before 1.4 selects vectors only by vectors of conditions.
        const Id condition =
            emit.splat(types_.vectorType(types_.boolType(), types_.components(type)), isK);
        value = emit.op(spv::Op::OpSelect, type, {condition, key[k + 1], value});
    }
    result = value;
    return {result, place};
}

Id Exchange::laneAt(Dimension d, Id along, Id other) {
    Emitter& emit = writer_.emit();
    if (d == Dimension::kColumns) std::swap(along, other);
    return emit.addU32(emit.times(along, context_.policy.grid.columns), other);
}

HeldElements Exchange::gatherAxis(HeldElements& from, Dimension d) {
    const Axis& axis = from.axis(d);
    if (axis.lanes == 1) return from;
    HeldElements all = from.emptyWith(d, wholeAxis(axis.size));
    const Id coordinate = gridCoordinate(other(d));
    for (uint32_t i = 0; i < axis.size; ++i) {
        Id& lane = gridLanes_[{axis.laneOf(i), coordinate}];
        if (lane == 0) lane = laneAt(d, types_.constantU32(axis.laneOf(i)), coordinate);
        for (uint32_t o = 0; o < from.axis(other(d)).count(); ++o) {
            all.at(d, i, o) = fromLane(from.at(d, axis.localOf(i), o), lane);
        }
    }
    return all;
}

HeldElements Exchange::distributeAxis(HeldElements& from, Dimension d, const Axis& to) {
    if (to.lanes == 1) return from;
    HeldElements part = from.emptyWith(d, to);
    const Id lane = laneOn(d, to);
    part.each([&](uint32_t row, uint32_t column, Slot& slot) {
        const bool isRow = d == Dimension::kRows;
        std::vector<Slot> candidates;
        for (uint32_t k = 0; k < to.lanes; ++k) {
            const uint32_t i = to.index(k, isRow ? row : column);
            candidates.push_back(from.at(d, i, isRow ? column : row));
        }
        slot = pick(candidates, lane);
    });
    return part;
}

}  // namespace coopvk::rewrite
