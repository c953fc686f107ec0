// SPDX-License-Identifier: Apache-2.0
#include "lowering/words.hpp"

#include <map>
#include <optional>

namespace coopvk::rewrite {

Id scalarOf(Emitter& emit, Id component, const Slot& slot) {
    const bool isScalar = emit.types().components(emit.typeOf(slot.value)) == 1;
    return isScalar ? slot.value : emit.extract(component, slot.value, {slot.index});
}

std::vector<Id> scalarsOf(Emitter& emit, Id component, std::span<const Slot> slots) {
    std::vector<Id> scalars;
    scalars.reserve(slots.size());
    for (const Slot& slot : slots) scalars.push_back(scalarOf(emit, component, slot));
    return scalars;
}

namespace {

bool isWholeVector(Emitter& emit, std::span<const Slot> slots) {
    if (emit.types().components(emit.typeOf(slots[0].value)) != slots.size()) return false;
    for (uint32_t i = 0; i < slots.size(); ++i) {
        if (slots[i].value != slots[0].value || slots[i].index != i) return false;
    }
    return true;
}

// Slots of one vector or of two, by one instruction; nullopt: they are of more, or of scalars.
std::optional<Id> shuffled(Emitter& emit, Id type, std::span<const Slot> slots) {
    if (slots.size() == 1) return std::nullopt;
    const Id first = slots[0].value;
    Id second = first;
    const uint32_t count = emit.types().components(emit.typeOf(first));
    Operands indices;
    for (const Slot& slot : slots) {
        if (slot.value != first && second == first) second = slot.value;
        if (slot.value != first && slot.value != second) return std::nullopt;
        if (emit.types().components(emit.typeOf(slot.value)) == 1) return std::nullopt;
        indices.push_back(literal(slot.value == first ? slot.index : count + slot.index));
    }
    Operands operands = {idOperand(first), idOperand(second)};
    append(operands, std::move(indices));
    return emit.op(OpVectorShuffle, type, std::move(operands));
}

}  // namespace

Id gather(Emitter& emit, Id component, std::span<const Slot> slots) {
    if (isWholeVector(emit, slots)) return slots[0].value;
    const Id type = emit.types().vectorType(component, static_cast<uint32_t>(slots.size()));
    if (const std::optional<Id> vector = shuffled(emit, type, slots)) return *vector;
    return emit.join(type, scalarsOf(emit, component, slots));
}

std::vector<Slot> slotsOf(Emitter& emit, std::span<const Id> values) {
    std::vector<Slot> slots;
    for (const Id value : values) {
        const uint32_t count = emit.types().components(emit.typeOf(value));
        for (uint32_t i = 0; i < count; ++i) slots.push_back({value, i});
    }
    return slots;
}

namespace {

// The most components of a vector. Between 64-bit scalars and bytes are 32-bit halves.
constexpr uint32_t kMostWords = 4;

// Splits each wide scalar by a bitcast to a vector.
std::vector<Slot> split(Emitter& emit, std::span<const Slot> slots, Id from, Id to) {
    TypeTable& types = emit.types();
    const uint32_t parts = types.width(from) / types.width(to);
    std::vector<Id> vectors;
    for (const Slot& slot : slots) {
        vectors.push_back(emit.bitcast(types.vectorType(to, parts), scalarOf(emit, from, slot)));
    }
    return slotsOf(emit, vectors);
}

// Joins narrow components to wide scalars.
std::vector<Slot> join(Emitter& emit, std::span<const Slot> slots, Id from, Id to) {
    const uint32_t parts = emit.types().width(to) / emit.types().width(from);
    std::vector<Slot> out;
    for (size_t first = 0; first + parts <= slots.size(); first += parts) {
        out.push_back({emit.bitcast(to, gather(emit, from, slots.subspan(first, parts))), 0});
    }
    return out;
}

// Changes the type of components to another one of the same width, a whole vector at a time.
std::vector<Slot> retype(Emitter& emit, std::span<const Slot> slots, Id to) {
    TypeTable& types = emit.types();
    std::vector<Slot> out;
    std::map<Id, Id> done;
    for (const Slot& slot : slots) {
        const auto [entry, isNew] = done.try_emplace(slot.value, 0);
        if (isNew) {
            const uint32_t count = types.components(emit.typeOf(slot.value));
            entry->second = emit.bitcast(types.vectorType(to, count), slot.value);
        }
        out.push_back({entry->second, slot.index});
    }
    return out;
}

// Components of 4 and 6 bits are cast together, as many as fill whole bytes: two, or four.
std::vector<Slot> castTogether(Emitter& emit, std::span<const Slot> slots, Id from, Id to) {
    TypeTable& types = emit.types();
    const uint32_t narrow = std::min(types.width(from), types.width(to));
    const uint32_t total = narrow == 6 ? 24 : 8;
    const uint32_t count = total / types.width(from), results = total / types.width(to);
    std::vector<Id> values;
    for (size_t first = 0; first + count <= slots.size(); first += count) {
        const Id group = gather(emit, from, slots.subspan(first, count));
        values.push_back(emit.bitcast(types.vectorType(to, results), group));
    }
    return slotsOf(emit, values);
}

}  // namespace

std::vector<Slot> regroup(Emitter& emit, std::span<const Slot> slots, Id from, Id to) {
    if (from == to) return {slots.begin(), slots.end()};
    const uint32_t fromWidth = emit.types().width(from);
    const uint32_t toWidth = emit.types().width(to);
    if (fromWidth == toWidth) return retype(emit, slots, to);
    if (std::min(fromWidth, toWidth) < 8) {
        const Id byte = emit.types().intType(8, false);
        emit.types().declareArithmetic(byte);
        if (fromWidth >= 8) {
            return castTogether(emit, regroup(emit, slots, from, byte), byte, to);
        }
        return regroup(emit, castTogether(emit, slots, from, byte), byte, to);
    }
    if (std::max(fromWidth, toWidth) > kMostWords * std::min(fromWidth, toWidth)) {
        const Id word = emit.types().uint32();
        const size_t count = std::max(toWidth / fromWidth, 1u);
        std::vector<Slot> out;
        for (size_t first = 0; first + count <= slots.size(); first += count) {
            const std::vector<Slot> words = regroup(emit, slots.subspan(first, count), from, word);
            for (const Slot& slot : regroup(emit, words, word, to)) out.push_back(slot);
        }
        return out;
    }
    return fromWidth > toWidth ? split(emit, slots, from, to) : join(emit, slots, from, to);
}

std::vector<Slot> regroupFilled(Emitter& emit, std::span<const Slot> slots, Id from, Id to) {
    TypeTable& types = emit.types();
    std::vector<Slot> filled(slots.begin(), slots.end());
    while (filled.size() * types.width(from) % types.width(to) != 0) {
        filled.push_back({types.constantNull(from), 0});
    }
    return regroup(emit, filled, from, to);
}

std::vector<Id> toWords(Emitter& emit, std::span<const Slot> memory, Id memoryScalar) {
    TypeTable& types = emit.types();
    const Id u32 = types.uint32();
    // Where there are such floats, there may be no integers of their width.
    if (types.isFloat(memoryScalar) && !types.encoding(memoryScalar)) {
        if (types.width(memoryScalar) * memory.size() % 32 == 0) {
            return scalarsOf(emit, u32, regroup(emit, memory, memoryScalar, u32));
        }
        std::vector<Id> words;
        for (const Slot& half : memory) {
            words.push_back(
                scalarOf(emit, u32, regroupFilled(emit, {&half, 1}, memoryScalar, u32)[0]));
        }
        return words;
    }
    const Id integer = types.intType(types.width(memoryScalar), false);
    std::vector<Slot> integers = regroup(emit, memory, memoryScalar, integer);
    const bool fill = integers.size() * types.width(integer) % 32 == 0;
    if (fill) integers = regroup(emit, integers, integer, u32);
    std::vector<Id> words;
    for (const Slot& slot : integers) {
        const Id word = scalarOf(emit, fill ? u32 : integer, slot);
        words.push_back(fill ? word : emit.op(OpUConvert, u32, {word}));
    }
    return words;
}

Id fieldOf(Emitter& emit, Id scalar, Id index, uint32_t bits, bool isSigned) {
    const Id u32 = emit.types().uint32();
    const Slot memory[] = {{scalar, 0}};
    const std::vector<Id> words = toWords(emit, memory, emit.typeOf(scalar));
    Id word = words[0];
    if (words.size() > 1) {
        const uint32_t perWord = 32 / bits;
        const Id pair = emit.construct(emit.types().vectorType(u32, 2), words);
        word = emit.op(OpVectorExtractDynamic, u32, {pair, emit.over(index, perWord)});
        index = emit.modulo(index, perWord);
    }
    return U32(emit, word).field(emit.times(index, bits), bits, isSigned);
}

}  // namespace coopvk::rewrite
