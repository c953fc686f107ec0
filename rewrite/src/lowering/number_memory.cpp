// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>
#include <optional>

#include "ir/entry_point.hpp"
#include "lowering/number.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

namespace {

// Moves the four 4-bit integers in the low half of a u32 to one byte each, and the inverse.
U32 spreadNibbles(U32 x) {
    x = x & 0xFFFF;
    x = (x | x << 8) & 0x00FF00FF;
    return (x | x << 4) & 0x0F0F0F0F;
}
U32 joinNibbles(U32 x) {
    x = x & 0x0F0F0F0F;
    x = (x | x >> 4) & 0x00FF00FF;
    return (x | x >> 8) & 0xFFFF;
}

// Turns bytes from 0 to 15 into -8 to 7: copies bit 3 of each to its bits 4 to 7.
U32 extendSign(U32 bytes) { return bytes | (bytes & 0x08080808) * 0x1E; }

std::vector<Slot> unpackFourBits(Emitter& emit, const Number&, std::span<const Slot> memory,
                                 Id memoryScalar, Id held) {
    TypeTable& types = emit.types();
    const std::vector<Id> words = toWords(emit, memory, memoryScalar);
    const auto perWord =
        static_cast<uint32_t>(memory.size() * types.width(memoryScalar) / 4 / words.size());
    std::vector<Slot> out;
    for (const Id word : words) {
        for (uint32_t first = 0; first < perWord; first += 4) {
            U32 bytes = spreadNibbles(U32(emit, word) >> first * 4);
            if (types.isSigned(held)) bytes = extendSign(bytes);
            const Id vector = emit.bitcast(types.vectorType(held, 4), bytes);
            for (uint32_t i = 0; i < 4 && first + i < perWord; ++i) out.push_back({vector, i});
        }
    }
    return out;
}

std::vector<Slot> packFourBits(Emitter& emit, const Number&, std::span<const Slot> components,
                               Id held, Id memoryScalar) {
    TypeTable& types = emit.types();
    const uint32_t width = types.width(memoryScalar), perScalar = width / 4;
    const Id u32 = types.uint32(), integer = types.intType(width, false);
    const Slot zero = {types.constantNull(held), 0};
    std::vector<Slot> out;
    for (size_t first = 0; first + perScalar <= components.size(); first += perScalar) {
        std::vector<std::optional<Id>> joined(divideUp(width, 32));
        for (uint32_t i = 0; i < perScalar; i += 4) {
            std::vector<Slot> four(4, zero);
            for (uint32_t j = i; j < std::min(i + 4, perScalar); ++j) {
                four[j - i] = components[first + j];
            }
            const Id bytes = emit.bitcast(u32, gather(emit, held, four));
            std::optional<Id>& word = joined[i / 8];
            word = withPart(emit, word, joinNibbles(U32(emit, bytes)), i * 4 % 32);
        }
        std::vector<Slot> words;
        for (const std::optional<Id>& word : joined) words.push_back({*word, 0});
        if (width < 32) words = {{emit.op(OpUConvert, integer, {*joined[0]}), 0}};
        const std::vector<Slot> whole = regroup(emit, words, width < 32 ? integer : u32, integer);
        for (const Slot& slot : regroup(emit, whole, integer, memoryScalar)) out.push_back(slot);
    }
    return out;
}

Slot pickFourBits(Emitter& emit, const Number&, Id scalar, Id index, Id held) {
    const bool isSigned = emit.types().isSigned(held);
    const Id value = fieldOf(emit, scalar, index, 4, isSigned);
    return {emit.op(isSigned ? OpSConvert : OpUConvert, held, {value}), 0};
}

U32 lowFourBits(Emitter& emit, const Slot& component, Id held) {
    TypeTable& types = emit.types();
    const Id byte = emit.bitcast(types.intType(8, false), scalarOf(emit, held, component));
    return U32(emit, emit.op(OpUConvert, types.uint32(), {byte})) & 15;
}

Id fourBits(Emitter& emit, const Number&, const Slot& component, Id held) {
    return lowFourBits(emit, component, held);
}

Id extendFourBits(Emitter& emit, Id value, bool isSigned) {
    TypeTable& types = emit.types();
    const Id type = emit.typeOf(value), u8 = types.intType(8, false);
    const uint32_t count = types.components(type);
    if (count == 4) {
        const U32 word = U32(emit, emit.bitcast(types.uint32(), value)) & 0x0F0F0F0F;
        return emit.bitcast(type, isSigned ? extendSign(word) : word);
    }
    std::vector<Id> scalars;
    for (uint32_t i = 0; i < count; ++i) {
        const U32 low = lowFourBits(emit, {value, i}, types.scalarOf(type));
        const U32 extended = isSigned ? extendSign(low) : low;
        scalars.push_back(emit.op(OpUConvert, u8, {extended}));
    }
    return emit.bitcast(type, emit.join(types.vectorType(u8, count), scalars));
}

}  // namespace

const NumberForm kFourBits = {8,        unpackFourBits, packFourBits, pickFourBits,
                              fourBits, extendFourBits};

uint32_t heldBits(const TypeTable& types, Id component) {
    const Number* number = numberOf(types, component);
    return number != nullptr && number->form != nullptr ? number->form->heldBits
                                                        : types.width(component);
}

Id heldType(TypeTable& types, Id component) {
    const uint32_t bits = heldBits(types, component);
    if (bits == types.width(component)) return component;
    return types.isFloat(component) ? types.floatType(bits)
                                    : types.intType(bits, types.isSigned(component));
}

std::vector<Slot> unpackComponents(Emitter& emit, const Number& number,
                                   std::span<const Slot> memory, Id memoryScalar, Id held) {
    return number.form != nullptr ? number.form->unpack(emit, number, memory, memoryScalar, held)
                                  : regroup(emit, memory, memoryScalar, held);
}

std::vector<Slot> packComponents(Emitter& emit, const Number& number,
                                 std::span<const Slot> components, Id held, Id memoryScalar) {
    return number.form != nullptr ? number.form->pack(emit, number, components, held, memoryScalar)
                                  : regroup(emit, components, held, memoryScalar);
}

std::vector<Slot> castComponents(Emitter& emit, const Number& from, const Number& to,
                                 std::span<const Slot> components, Id heldFrom, Id heldTo) {
    const Id bits = emit.types().intType(to.bits, false);
    const std::vector<Slot> memory = packComponents(emit, from, components, heldFrom, bits);
    return unpackComponents(emit, to, memory, bits, heldTo);
}

Id byteDot(Emitter& emit, Id type, FourBytes a, FourBytes b) {
    Module& module = emit.module();
    module.addCapability(spv::Capability::DotProduct);
    module.addCapability(spv::Capability::DotProductInput4x8BitPacked);
    if (module.version() < 0x00010600) module.addExtension("SPV_KHR_integer_dot_product");
    spv::Op opcode = OpSUDot;
    if (a.areSigned == b.areSigned) {
        opcode = a.areSigned ? OpSDot : OpUDot;
    } else if (b.areSigned) {
        std::swap(a, b);  // OpSUDot takes the signed operand first
    }
    return emit.op(opcode, type,
                   {idOperand(a.word), idOperand(b.word),
                    literal(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)});
}

Slot pickComponent(Emitter& emit, const Number& number, Id scalar, Id index, Id held) {
    if (number.form != nullptr) return number.form->pick(emit, number, scalar, index, held);
    TypeTable& types = emit.types();
    const Id u32 = types.uint32();
    uint32_t parts = types.width(emit.typeOf(scalar)) / types.width(held);
    if (parts > 4) {
        // Vectors have at most four components: selects a 32-bit half first.
        const Id words = emit.bitcast(types.vectorType(u32, 2), scalar);
        parts /= 2;
        scalar = emit.op(OpVectorExtractDynamic, u32, {words, emit.over(index, parts)});
        index = emit.modulo(index, parts);
    }
    const Id vector = emit.bitcast(types.vectorType(held, parts), scalar);
    return {emit.op(OpVectorExtractDynamic, held, {vector, index}), 0};
}

Id componentBits(Emitter& emit, const Number& number, const Slot& component, Id held) {
    if (number.form != nullptr) return number.form->bits(emit, number, component, held);
    const Id u32 = emit.types().uint32();
    return scalarOf(emit, u32, regroupFilled(emit, {&component, 1}, held, u32)[0]);
}

Id withSign(Emitter& emit, const Number& number, Id value, bool isSigned) {
    const bool extends = number.form != nullptr && number.form->extended != nullptr;
    return extends ? number.form->extended(emit, value, isSigned) : value;
}

// 8-bit floats in memory, held as f16.

namespace {

constexpr uint32_t kPerWord = 4;

// The same as below, without products that are denormals of f16, which devices may flush.
Id bytesWithoutHalfDenormals(Emitter& emit, const Number::FloatFields& fields, const U32& word) {
    const DenormalSum sum(emit, fields);
    const auto mask = [](const U32& bit15) { return (bit15 >> 15 & both(1)) * 0xFFFF; };
    constexpr uint32_t kTop = both(0x8000);
    const U32 magnitude = word & both(0x7FFF);
    // Where bit 15 is set, a subtraction takes nothing from the half above.
    const U32 isNormal = mask((magnitude | kTop) - both(sum.rebias + (1u << 10)));
    const U32 isNan = mask((magnitude | kTop) - both(0x7C00));
    const U32 normal = ((magnitude | kTop) - both(sum.rebias)) >> sum.lost & both(0x7F);
    const Id units = emit.exactOp(OpFAdd, sum.pair, {emit.bitcast(sum.pair, magnitude), sum.base});
    const U32 small =
        U32(emit, emit.bitcast(emit.types().uint32(), units)) & both((1u << sum.mantissa) - 1);
    const U32 value = (normal & isNormal) | (small & (isNormal ^ ~0u)) | (isNan & both(0x7F));
    const U32 sign = word >> 8 & both(0x80);
    const U32 bytes = value | sign;
    return (bytes | bytes >> 8) & 0xFFFF;
}

// The inverse of smallFloatPair() for two f16 that are values of the format: bytes in the low half
// of a u32.
Id smallFloatBytes(Emitter& emit, const Number::FloatFields& fields, Id pair) {
    TypeTable& types = emit.types();
    const auto wordOf = [&](Id halves) { return U32(emit, emit.bitcast(types.uint32(), halves)); };
    const auto upperBytes = [](const U32& x) { return (x >> 8 & 0xFF) | (x >> 16 & 0xFF00); };
    if (fields.exponentBits == 5 && fields.specials == Number::Specials::kIeee) {
        return upperBytes(wordOf(pair));
    }
    if (!preservesHalfDenormals(emit.module())) {
        return bytesWithoutHalfDenormals(emit, fields, wordOf(pair));
    }
    const double factor = 1.0 / (1u << (15 - fields.bias));
    const Id scale = types.constantFloat(types.floatType(16), factor);
    const Id scaled = emit.exactOp(OpFMul, emit.typeOf(pair),
                                   {pair, types.constantSplat(emit.typeOf(pair), scale)});
    const U32 word = wordOf(scaled);
    const U32 magnitude = word << (5 - fields.exponentBits) & 0x7F007F00;
    // Devices may drop the sign of NaN in a product.
    const U32 sign = wordOf(pair) & 0x80008000;
    // Numbers of the format are scaled to less than 2; NaN has all bits below the sign set.
    const U32 nan = (word >> 14 & 0x00010001) * 0x7F00;
    return upperBytes(magnitude | nan | sign);
}

// The bytes of a word, in order.
void unpackFour(Emitter& emit, const Number& number, Id word, std::vector<Slot>& out) {
    const U32 shifted = U32(emit, word) << number.bits;
    const Id even = smallFloatsOfOddBytes(emit, number.fields, shifted);
    const Id odd = smallFloatsOfOddBytes(emit, number.fields, word);
    for (uint32_t i = 0; i < kPerWord / 2; ++i) out.insert(out.end(), {{even, i}, {odd, i}});
}

std::vector<Slot> unpackFloats(Emitter& emit, const Number& number, std::span<const Slot> memory,
                               Id memoryScalar, Id) {
    const std::vector<Id> words = toWords(emit, memory, memoryScalar);
    const auto perWord = static_cast<uint32_t>(memory.size() * emit.types().width(memoryScalar) /
                                               number.bits / words.size());
    std::vector<Slot> out;
    for (const Id word : words) {
        if (perWord == kPerWord) {
            unpackFour(emit, number, word, out);
            continue;
        }
        const Id pair = smallFloatPair(emit, number.fields, word);
        for (uint32_t i = 0; i < perWord; ++i) out.push_back({pair, i});
    }
    return out;
}

std::vector<Slot> packFloats(Emitter& emit, const Number& number, std::span<const Slot> components,
                             Id held, Id memoryScalar) {
    TypeTable& types = emit.types();
    const Slot zero = {types.constantNull(held), 0};
    std::vector<Slot> all(components.begin(), components.end());
    while (all.size() % kPerWord != 0) all.push_back(zero);
    std::vector<Slot> words;
    for (size_t first = 0; first < all.size(); first += kPerWord) {
        std::optional<Id> word;
        for (uint32_t i = 0; i < kPerWord && first + i < components.size(); i += 2) {
            const Id pair = gather(emit, held, std::span(all).subspan(first + i, 2));
            const Id bytes = smallFloatBytes(emit, number.fields, pair);
            word = withPart(emit, word, bytes, i * number.bits);
        }
        words.push_back({*word, 0});
    }
    std::vector<Slot> out = regroup(emit, words, types.uint32(), memoryScalar);
    out.resize(components.size() * number.bits / types.width(memoryScalar));
    return out;
}

Slot pickFloat(Emitter& emit, const Number& number, Id scalar, Id index, Id) {
    const Id byte = fieldOf(emit, scalar, index, number.bits, false);
    return {smallFloatPair(emit, number.fields, byte), 0};
}

Id floatBits(Emitter& emit, const Number& number, const Slot& component, Id held) {
    const Slot both[] = {component, {emit.types().constantNull(held), 0}};
    return smallFloatBytes(emit, number.fields, gather(emit, held, both));
}

}  // namespace

const NumberForm kSmallFloats = {16, unpackFloats, packFloats, pickFloat, floatBits};

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
    for (const Slot& slot : slots) {
        const uint32_t count = types.components(emit.typeOf(slot.value));
        out.push_back({emit.bitcast(types.vectorType(to, count), slot.value), slot.index});
    }
    return out;
}

// Components of 4 and 6 bits are cast together, as many as fill whole bytes: two, or four.
std::vector<Slot> castTogether(Emitter& emit, std::span<const Slot> slots, Id from, Id to) {
    TypeTable& types = emit.types();
    const uint32_t narrow = std::min(types.width(from), types.width(to));
    const uint32_t total = std::lcm(8u, narrow);
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
