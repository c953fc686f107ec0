// SPDX-License-Identifier: Apache-2.0
#include "matrix/nibbles.hpp"

#include "matrix/packs.hpp"

namespace coopvk::rewrite {

namespace {

class Bits {
 public:
    explicit Bits(Emitter& emit) : emit_(emit), u32_(emit.types().uint32()) {}

    Id constant(uint32_t value) { return emit_.types().constantU32(value); }
    Id both(Id a, uint32_t mask) {
        return emit_.op(spv::Op::OpBitwiseAnd, u32_, {a, constant(mask)});
    }
    Id either(Id a, Id b) { return emit_.op(spv::Op::OpBitwiseOr, u32_, {a, b}); }
    Id left(Id a, uint32_t by) {
        return by == 0 ? a : emit_.op(spv::Op::OpShiftLeftLogical, u32_, {a, constant(by)});
    }
    Id right(Id a, uint32_t by) {
        return by == 0 ? a : emit_.op(spv::Op::OpShiftRightLogical, u32_, {a, constant(by)});
    }
    Id multiply(Id a, uint32_t factor) {
        return emit_.op(spv::Op::OpIMul, u32_, {a, constant(factor)});
    }
    // Four nibbles of the low half, one to a byte.
    Id spread(Id word) {
        Id x = both(word, 0xFFFF);
        x = both(either(x, left(x, 8)), 0x00FF00FF);
        return both(either(x, left(x, 4)), 0x0F0F0F0F);
    }
    // The inverse.
    Id gather(Id bytes) {
        Id x = both(bytes, 0x0F0F0F0F);
        x = both(either(x, right(x, 4)), 0x00FF00FF);
        return both(either(x, right(x, 8)), 0xFFFF);
    }
    // Bytes from 0 to 15 become -8 to 7: bit 3 is repeated above itself.
    Id extendSign(Id bytes) { return either(bytes, multiply(both(bytes, 0x08080808), 0x1E)); }

 private:
    Emitter& emit_;
    Id u32_;
};

}  // namespace

std::vector<Id> toWords(Emitter& emit, std::span<const Slot> memory, Id memoryScalar) {
    TypeTable& types = emit.types();
    const Id u32 = types.uint32();
    const Id integer = types.intType(types.width(memoryScalar), false);
    const std::vector<Slot> integers = regroup(emit, memory, memoryScalar, integer);
    std::vector<Id> words;
    if (integers.size() * types.width(integer) % 32 == 0) {
        for (const Slot& slot : regroup(emit, integers, integer, u32)) {
            const Slot one[] = {slot};
            words.push_back(gather(emit, u32, one));
        }
        return words;
    }
    for (const Slot& slot : integers) {
        const Slot one[] = {slot};
        words.push_back(emit.op(spv::Op::OpUConvert, u32, {gather(emit, integer, one)}));
    }
    return words;
}

std::vector<Slot> unpackNibbles(Emitter& emit, std::span<const Slot> memory, Id memoryScalar,
                                Id component) {
    TypeTable& types = emit.types();
    Bits bits(emit);
    const Id four = types.vectorType(component, 4);
    const std::vector<Id> words = toWords(emit, memory, memoryScalar);
    const auto perWord =
        static_cast<uint32_t>(memory.size() * types.width(memoryScalar) / 4 / words.size());
    std::vector<Slot> out;
    for (const Id word : words) {
        for (uint32_t first = 0; first < perWord; first += 4) {
            Id bytes = bits.spread(bits.right(word, first * 4));
            if (types.isSigned(component)) bytes = bits.extendSign(bytes);
            const Id vector = emit.bitcast(four, bytes);
            for (uint32_t i = 0; i < 4 && first + i < perWord; ++i) out.push_back({vector, i});
        }
    }
    return out;
}

std::vector<Slot> packNibbles(Emitter& emit, std::span<const Slot> components, Id component,
                              Id memoryScalar) {
    TypeTable& types = emit.types();
    Bits bits(emit);
    const Id u32 = types.uint32();
    const uint32_t width = types.width(memoryScalar);
    const uint32_t perScalar = width / 4;
    const Id zero = types.constantNull(component);
    std::vector<Slot> out;
    for (size_t first = 0; first + perScalar <= components.size(); first += perScalar) {
        std::vector<Id> words((width + 31) / 32, 0);
        for (uint32_t i = 0; i < perScalar; i += 4) {
            std::vector<Slot> four;
            for (uint32_t j = i; j < i + 4; ++j) {
                four.push_back(j < perScalar ? components[first + j] : Slot{zero, 0});
            }
            const Id vector = gather(emit, component, four);
            const Id half = bits.left(bits.gather(emit.bitcast(u32, vector)), i * 4 % 32);
            Id& word = words[i / 8];
            word = word == 0 ? half : bits.either(word, half);
        }
        const Id integer = types.intType(width, false);
        std::vector<Slot> slots;
        if (width < 32) {
            slots.push_back({emit.op(spv::Op::OpUConvert, integer, {words[0]}), 0});
        } else {
            for (const Id word : words) slots.push_back({word, 0});
            slots = regroup(emit, slots, u32, integer);
        }
        for (const Slot& slot : regroup(emit, slots, integer, memoryScalar)) out.push_back(slot);
    }
    return out;
}

Slot pickNibble(Emitter& emit, Id memoryScalar, Id index, Id component) {
    TypeTable& types = emit.types();
    const Id u32 = types.uint32();
    const Slot memory[] = {{memoryScalar, 0}};
    const std::vector<Id> words = toWords(emit, memory, emit.typeOf(memoryScalar));
    Id word = words[0];
    if (words.size() > 1) {
        const Id pair = emit.construct(types.vectorType(u32, 2), words);
        const Id which = emit.divInt(u32, index, types.constantU32(8));
        word = emit.op(spv::Op::OpVectorExtractDynamic, u32, {pair, which});
        index = emit.modInt(u32, index, types.constantU32(8));
    }
    const bool isSigned = types.isSigned(component);
    const Id shift = emit.mulInt(u32, index, types.constantU32(4));
    const Id value = emit.op(isSigned ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract,
                             u32, {word, shift, types.constantU32(4)});
    return {emit.op(isSigned ? spv::Op::OpSConvert : spv::Op::OpUConvert, component, {value}), 0};
}

Id nibbleBits(Emitter& emit, const Slot& slot, Id component) {
    TypeTable& types = emit.types();
    const Slot one[] = {slot};
    const Id scalar = emit.bitcast(types.intType(8, false), gather(emit, component, one));
    const Id word = emit.op(spv::Op::OpUConvert, types.uint32(), {scalar});
    return Bits(emit).both(word, 15);
}

Id extendNibbles(Emitter& emit, Id pack, bool isSigned) {
    TypeTable& types = emit.types();
    const Id type = emit.typeOf(pack);
    const uint32_t count = types.components(type);
    const Id u32 = types.uint32();
    Bits bits(emit);
    Id word = 0;
    const Id bytes = types.vectorType(types.intType(8, false), count);
    if (count == 4) {
        word = emit.bitcast(u32, pack);
    } else {
        // Narrower packs by themselves: u32 holds the component of each.
        std::vector<Id> scalars;
        for (uint32_t i = 0; i < count; ++i) {
            const Id scalar = count == 1 ? pack : emit.extract(types.scalarOf(type), pack, {i});
            const Id low = nibbleBits(emit, {scalar, 0}, types.scalarOf(type));
            const Id extended = isSigned ? bits.extendSign(low) : low;
            scalars.push_back(emit.op(spv::Op::OpUConvert, types.intType(8, false), {extended}));
        }
        const Id vector = count == 1 ? scalars[0] : emit.construct(bytes, scalars);
        return emit.bitcast(type, vector);
    }
    word = bits.both(word, 0x0F0F0F0F);
    if (isSigned) word = bits.extendSign(word);
    return emit.bitcast(type, word);
}

Id nibblesAs(MatrixContext& context, Emitter& emit, const MatrixType& matrix, Id value,
             bool isSigned) {
    if (!matrix.nibbles || matrix.words || context.types.isSigned(matrix.component) == isSigned) {
        return value;
    }
    std::vector<Id> packs = extractPacks(emit, matrix, value);
    for (Id& pack : packs) pack = extendNibbles(emit, pack, isSigned);
    return constructFromPacks(emit, matrix, packs);
}

}  // namespace coopvk::rewrite
