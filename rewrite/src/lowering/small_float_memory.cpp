// SPDX-License-Identifier: Apache-2.0
//
// 8-bit floats in memory, held as f16.
#include "lowering/number_memory.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kPerWord = 4;

// The inverse of smallFloatPair() for two f16 that are values of the format: bytes in the low half
// of a u32.
Id smallFloatBytes(Emitter& emit, const Number::FloatFields& fields, Id pair) {
    TypeTable& types = emit.types();
    Bits bits(emit);
    Id spread = 0;
    if (fields.exponentBits == 5 && fields.hasInfinity) {
        spread = emit.bitcast(types.uint32(), pair);
    } else {
        const double factor = 1.0 / (1u << (15 - fields.bias));
        const Id scale = types.constantFloat(types.floatType(16), factor);
        const Id scaled = emit.op(spv::Op::OpFMul, emit.typeOf(pair),
                                  {pair, types.constantSplat(emit.typeOf(pair), scale)});
        const Id word = emit.bitcast(types.uint32(), scaled);
        const Id magnitude = bits.mask(bits.left(word, 5 - fields.exponentBits), 0x7F007F00);
        // Devices may drop the sign of NaN in a product.
        const Id sign = bits.mask(emit.bitcast(types.uint32(), pair), 0x80008000);
        // Numbers of the format are scaled to less than 2; NaN has all bits below the sign set.
        const Id isNan = bits.mask(bits.right(word, 14), 0x00010001);
        const Id nan = bits.op(spv::Op::OpIMul, isNan, emit.constant(0x7F00));
        spread = bits.either(bits.either(magnitude, nan), sign);
    }
    return bits.either(bits.mask(bits.right(spread, 8), 0xFF),
                       bits.mask(bits.right(spread, 16), 0xFF00));
}

// The bytes of a word, in order.
void unpackFour(Emitter& emit, const Number& number, Id word, std::vector<Slot>& out) {
    const Id shifted = Bits(emit).left(word, number.bits);
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
        Id word = 0;
        for (uint32_t i = 0; i < kPerWord && first + i < components.size(); i += 2) {
            const Id pair = gather(emit, held, std::span(all).subspan(first + i, 2));
            const Id bytes = smallFloatBytes(emit, number.fields, pair);
            word = Bits(emit).withPart(word, bytes, i * number.bits);
        }
        words.push_back({word, 0});
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

const NumberForm kSmallFloats = {unpackFloats, packFloats, pickFloat, floatBits};

}  // namespace coopvk::rewrite
