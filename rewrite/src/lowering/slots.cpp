// SPDX-License-Identifier: Apache-2.0
#include "lowering/slots.hpp"

namespace coopvk::rewrite {

namespace {

Id scalarAt(Emitter& emit, Id component, const Slot& slot) {
    const bool isScalar = emit.types().components(emit.typeOf(slot.value)) == 1;
    return isScalar ? slot.value : emit.extract(component, slot.value, {slot.index});
}

bool isWholeVector(Emitter& emit, std::span<const Slot> slots) {
    if (emit.types().components(emit.typeOf(slots[0].value)) != slots.size()) return false;
    for (uint32_t i = 0; i < slots.size(); ++i) {
        if (slots[i].value != slots[0].value || slots[i].index != i) return false;
    }
    return true;
}

}  // namespace

Id gather(Emitter& emit, Id component, std::span<const Slot> slots) {
    if (slots.size() == 1) return scalarAt(emit, component, slots[0]);
    if (isWholeVector(emit, slots)) return slots[0].value;
    std::vector<Id> scalars;
    scalars.reserve(slots.size());
    for (const Slot& slot : slots) scalars.push_back(scalarAt(emit, component, slot));
    return emit.construct(emit.types().vectorType(component, static_cast<uint32_t>(slots.size())),
                          scalars);
}

void appendSlots(Emitter& emit, Id value, std::vector<Slot>& slots) {
    const uint32_t count = emit.types().components(emit.typeOf(value));
    for (uint32_t i = 0; i < count; ++i) slots.push_back({value, i});
}

namespace {

// Splits wide scalars: one bitcast each, through 32-bit halves where a vector of more than four
// components would be needed.
void split(Emitter& emit, std::span<const Slot> slots, Id from, Id to, std::vector<Slot>& out) {
    TypeTable& types = emit.types();
    const uint32_t parts = types.width(from) / types.width(to);
    for (const Slot& slot : slots) {
        const Id scalar = scalarAt(emit, from, slot);
        if (parts <= 4) {
            appendSlots(emit, emit.bitcast(types.vectorType(to, parts), scalar), out);
            continue;
        }
        const Id words = emit.bitcast(types.vectorType(types.uint32(), 2), scalar);
        for (uint32_t half = 0; half < 2; ++half) {
            const Id word = emit.extract(types.uint32(), words, {half});
            appendSlots(emit, emit.bitcast(types.vectorType(to, parts / 2), word), out);
        }
    }
}

// Joins narrow components: the inverse of split.
void join(Emitter& emit, std::span<const Slot> slots, Id from, Id to, std::vector<Slot>& out) {
    TypeTable& types = emit.types();
    const uint32_t parts = types.width(to) / types.width(from);
    for (size_t first = 0; first + parts <= slots.size(); first += parts) {
        if (parts <= 4) {
            const Id vector = gather(emit, from, slots.subspan(first, parts));
            out.push_back({emit.bitcast(to, vector), 0});
            continue;
        }
        Id halves[2];
        for (uint32_t half = 0; half < 2; ++half) {
            const Id vector =
                gather(emit, from, slots.subspan(first + half * parts / 2, parts / 2));
            halves[half] = emit.bitcast(types.uint32(), vector);
        }
        const Id words = emit.construct(types.vectorType(types.uint32(), 2), halves);
        out.push_back({emit.bitcast(to, words), 0});
    }
}

// Same width, other type: whole vectors where they pass whole.
void retype(Emitter& emit, std::span<const Slot> slots, Id to, std::vector<Slot>& out) {
    TypeTable& types = emit.types();
    std::map<Id, Id> done;
    for (const Slot& slot : slots) {
        const auto [entry, isNew] = done.try_emplace(slot.value, 0);
        if (isNew) {
            const uint32_t count = types.components(emit.typeOf(slot.value));
            entry->second = emit.bitcast(types.vectorType(to, count), slot.value);
        }
        out.push_back({entry->second, slot.index});
    }
}

}  // namespace

std::vector<Slot> regroup(Emitter& emit, std::span<const Slot> slots, Id from, Id to) {
    std::vector<Slot> out;
    const uint32_t fromWidth = emit.types().width(from);
    const uint32_t toWidth = emit.types().width(to);
    if (from == to) {
        out.assign(slots.begin(), slots.end());
    } else if (fromWidth == toWidth) {
        retype(emit, slots, to, out);
    } else if (fromWidth > toWidth) {
        split(emit, slots, from, to, out);
    } else {
        join(emit, slots, from, to, out);
    }
    return out;
}

std::vector<Id> toWords(Emitter& emit, std::span<const Slot> memory, Id memoryScalar) {
    TypeTable& types = emit.types();
    const Id u32 = types.uint32();
    const Id integer = types.intType(types.width(memoryScalar), false);
    std::vector<Slot> integers = regroup(emit, memory, memoryScalar, integer);
    const bool fill = integers.size() * types.width(integer) % 32 == 0;
    if (fill) integers = regroup(emit, integers, integer, u32);
    std::vector<Id> words;
    for (const Slot& slot : integers) {
        const Id word = gather(emit, fill ? u32 : integer, std::span(&slot, 1));
        words.push_back(fill ? word : emit.op(spv::Op::OpUConvert, u32, {word}));
    }
    return words;
}

Id withPart(Emitter& emit, Id word, Id part, uint32_t shift) {
    const Id u32 = emit.types().uint32();
    if (shift > 0) {
        part = emit.op(spv::Op::OpShiftLeftLogical, u32, {part, emit.types().constantU32(shift)});
    }
    return word == 0 ? part : emit.op(spv::Op::OpBitwiseOr, u32, {word, part});
}

}  // namespace coopvk::rewrite
