// SPDX-License-Identifier: Apache-2.0
#include "lowering/words.hpp"

#include <map>

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

}  // namespace

Id gather(Emitter& emit, Id component, std::span<const Slot> slots) {
    if (isWholeVector(emit, slots)) return slots[0].value;
    return emit.join(emit.types().vectorType(component, static_cast<uint32_t>(slots.size())),
                     scalarsOf(emit, component, slots));
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

namespace {

// More elements than any matrix has, and few enough to unroll.
constexpr uint64_t kMostElements = 4096;

}  // namespace

NumberArray numberArray(const LoweringContext& context, Id type) {
    const Instruction& def = context.module.def(type);
    const std::optional<uint64_t> length = context.module.constantValue(def.word(1));
    const bool isScalar =
        context.types.components(def.word(0)) == 1 && context.types.width(def.word(0)) != 0;
    if (def.opcode != OpTypeArray || !length || *length == 0 || *length > kMostElements ||
        !isScalar) {
        return {};
    }
    return {type, def.word(0), static_cast<uint32_t>(*length)};
}

bool requireDefaultEncoding(LoweringContext& context, const Instruction& at, Id scalar) {
    if (scalar == 0 || !context.types.encoding(scalar)) return true;
    context.invalid(at,
                    "floats must have the default encoding, no bfloat16 or 8-bit floats "
                    "(SPV_QCOM_cooperative_matrix_conversion)");
    return false;
}

void lowerBitCastArray(LoweringContext& context, Emitter& emit, const Instruction& cast) {
    const NumberArray to = numberArray(context, cast.type);
    const NumberArray from = numberArray(context, context.module.def(cast.word(0)).type);
    const TypeTable& types = context.types;
    if (!requireDefaultEncoding(context, cast, to.element) ||
        !requireDefaultEncoding(context, cast, from.element)) {
        return;
    }
    if (to.element == 0 || from.element == 0 ||
        uint64_t{to.length} * types.width(to.element) !=
            uint64_t{from.length} * types.width(from.element)) {
        return context.invalid(cast, "casts arrays of different sizes");
    }
    const std::vector<Slot> slots = slotsOf(emit, emit.parts(cast.word(0)));
    const std::vector<Slot> cells = regroup(emit, slots, from.element, to.element);
    emit.construct(to.type, scalarsOf(emit, to.element, cells), cast.result);
}

namespace {

// The function (array, start) that returns elements from a dynamic index on.
Id subArrayHelper(LoweringContext& context, const NumberArray& from, const NumberArray& to,
                  Id indexType) {
    const std::vector<uint32_t> key = {static_cast<uint32_t>(OpExtractSubArrayQCOM), from.type,
                                       to.type, indexType};
    return context.helper(key, [&] {
        TypeTable& types = context.types;
        // The array's type may have a layout, which a Function variable must not have.
        const Id plain = types.arrayType(from.element, from.length);
        const Id parameters[] = {from.type, indexType};
        FunctionBuilder function(types, context.newFunctions,
                                 std::format("coopvk_subarray_{}_of_{}", to.length, from.length),
                                 to.type, parameters);
        Emitter& emit = function.emit();
        const Id variable = function.variable(plain);
        function.store(variable, emit.construct(plain, emit.parts(function.parameter(0))));
        std::vector<Id> parts;
        for (uint32_t i = 0; i < to.length; ++i) {
            const Id index =
                emit.addInt(indexType, function.parameter(1), types.constant(indexType, i));
            parts.push_back(function.load(function.element(variable, index)));
        }
        return function.finish(emit.construct(to.type, parts));
    });
}

}  // namespace

void lowerExtractSubArray(LoweringContext& context, Emitter& emit, const Instruction& extract) {
    const NumberArray to = numberArray(context, extract.type);
    const NumberArray from = numberArray(context, context.module.def(extract.word(0)).type);
    const Id start = extract.word(1);
    if (!requireDefaultEncoding(context, extract, from.element)) return;
    if (to.element == 0 || from.element != to.element || to.length > from.length ||
        !context.types.isInteger(emit.typeOf(start))) {
        return context.invalid(extract,
                               "extracts from an array that is smaller or has other elements");
    }
    if (const std::optional<uint64_t> first = context.module.constantValue(start)) {
        // Elements beyond the end are undefined, but indices must be valid.
        std::vector<Id> values;
        for (uint32_t i = 0; i < to.length; ++i) {
            const auto at = static_cast<uint32_t>((*first + i) % from.length);
            values.push_back(emit.extract(from.element, extract.word(0), {at}));
        }
        emit.construct(to.type, values, extract.result);
        return;
    }
    const Id helper = subArrayHelper(context, from, to, emit.typeOf(start));
    emit.call(to.type, helper, std::array{extract.word(0), start}, extract.result);
}

}  // namespace coopvk::rewrite
