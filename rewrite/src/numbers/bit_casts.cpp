// SPDX-License-Identifier: Apache-2.0
//
// Bit casts of floats of 4 and 6 bits, which are held in bytes.
#include "lowering/words.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

namespace {

bool isPartOfByte(const Number* number) { return number != nullptr && number->bits < 8; }

// A scalar or vector type as bits: those of a component, and of the integer that holds it.
struct BitType {
    Id scalar = 0;
    uint32_t components = 0, bits = 0;
    const Number* number = nullptr;  // null: the type stays

    uint32_t total() const { return components * bits; }
};

BitType bitType(const NumbersContext& context, Id type) {
    const Number* number = context.format(type);
    const uint32_t width = context.types.width(type);
    if (width == 0) return {};
    return {context.types.scalarOf(type), context.types.components(type),
            number != nullptr ? number->bits : width, number};
}

// The bits of a component, in the low bits of a u32.
Id bitsOf(Emitter& emit, const BitType& type, Id component) {
    TypeTable& types = emit.types();
    if (type.number == nullptr) {
        types.declareArithmetic(types.intType(type.bits, false));
        component = emit.bitcast(types.intType(type.bits, false), component);
    }
    return type.bits == 32 ? component : emit.op(OpUConvert, types.uint32(), {component});
}

Id componentOf(Emitter& emit, const BitType& type, Id word) {
    TypeTable& types = emit.types();
    const uint32_t stored = type.number != nullptr ? type.number->storedBits() : type.bits;
    const Id integer = types.intType(stored, false);
    types.declareArithmetic(integer);
    const Id value = stored == 32 ? word : emit.op(OpUConvert, integer, {word});
    return type.number != nullptr ? value : emit.bitcast(type.scalar, value);
}

}  // namespace

bool castsPartsOfBytes(const NumbersContext& context, const Instruction& cast) {
    return isPartOfByte(context.format(cast.type)) || isPartOfByte(context.formatOf(cast.word(0)));
}

// The first component has the lowest bits (SPIR-V, OpBitcast). No more than four of 6 bits are
// cast.
bool lowerPartsOfBytes(NumbersContext& context, Emitter& emit, const Instruction& cast) {
    const BitType from = bitType(context, emit.typeOf(cast.word(0)));
    const BitType to = bitType(context, cast.type);
    if (from.total() == 0 || from.total() != to.total() || from.total() > 32) {
        context.invalid(cast, "a bit cast's operand and result have as many bits");
        return true;
    }
    if (from.components == to.components) {
        defineResult(context, emit, cast, cast.word(0));
        return true;
    }
    std::optional<Id> word;
    uint32_t at = 0;
    for (const Id part : emit.parts(cast.word(0))) {
        word = withPart(emit, word, bitsOf(emit, from, part), at);
        at += from.bits;
    }
    std::vector<Id> components;
    for (uint32_t c = 0; c < to.components; ++c) {
        const Id field = U32(emit, *word) >> c * to.bits & ((uint64_t{1} << to.bits) - 1);
        components.push_back(componentOf(emit, to, field));
    }
    defineResult(context, emit, cast, emit.join(context.replacement(cast.type), components));
    return true;
}

bool lowerBitcastExtract(NumbersContext& context, Emitter& emit, const Instruction& i) {
    const Number* to = context.format(i.type);
    TypeTable& types = context.types;
    const Id from = emit.typeOf(i.word(0)), offset = emit.typeOf(i.word(1));
    const uint32_t width = types.width(from), components = types.components(i.type);
    if (to == nullptr) return false;
    if (!isPartOfByte(to) || !types.isInteger(from) || width <= to->bits ||
        types.components(from) != components || !types.isInteger(offset) ||
        types.components(offset) != 1 || components > 4) {
        context.invalid(i,
                        "takes wider integers, and gives floats of 4 or 6 bits "
                        "(VUID-StandaloneSpirv-Result-12468 and -Base-12469)");
        return true;
    }
    const Id integers = types.vectorType(types.intType(width, false), components);
    const Id bytes = types.vectorType(types.intType(8, false), components);
    const Id by = emit.splat(types.vectorType(offset, components), i.word(1));
    Id value = emit.op(OpShiftRightLogical, integers, {i.word(0), by});
    if (width != 8) value = emit.op(OpUConvert, bytes, {value});
    defineResult(context, emit, i, U32(emit, value, bytes) & (magnitudeMask(*to) * 2 + 1));
    return true;
}

}  // namespace coopvk::rewrite
