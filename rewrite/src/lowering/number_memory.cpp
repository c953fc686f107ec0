// SPDX-License-Identifier: Apache-2.0
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
    const Id units = emit.op(OpFAdd, sum.pair, {emit.bitcast(sum.pair, magnitude), sum.base});
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
    const Id scaled =
        emit.op(OpFMul, emit.typeOf(pair), {pair, types.constantSplat(emit.typeOf(pair), scale)});
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

}  // namespace coopvk::rewrite
