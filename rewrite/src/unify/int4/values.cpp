// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "lowering/words.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

std::vector<Id> Int4Values::words(Id value, const Int4Type& type) {
    const Id u32 = context_.types.uint32();
    if (type.bytes == 2) {
        const Id wide = emit_.op(OpUConvert, context_.types.vectorType(u32, 2), {value});
        const std::vector<Id> parts = emit_.parts(wide);
        return {U32(emit_, parts[0]).withField(parts[1], emit_.constant(8), 8)};
    }
    if (type.components == 8) return {emit_.bitcast(u32, value)};
    if (type.components == 16) {
        return {emit_.extract(u32, value, {0}), emit_.extract(u32, value, {1})};
    }
    return {emit_.op(OpUConvert, u32, {value})};
}

Id Int4Values::fromWords(const Int4Type& type, std::span<const Id> words,
                         std::optional<Id> result) {
    if (type.bytes == 2) {
        const Id u8 = context_.types.intType(8, false);
        const Id high = U32(emit_, words[0]) >> 8;
        const Id bytes[] = {emit_.op(OpUConvert, u8, {words[0]}), emit_.op(OpUConvert, u8, {high})};
        return emit_.construct(type.id, bytes, result);
    }
    const spv::Op opcode = type.components == 16  ? OpCompositeConstruct
                           : type.components != 8 ? OpUConvert
                           : type.isByteWise()    ? OpBitcast
                                                  : OpCopyObject;
    return emit_.op(opcode, type.id, idOperands(words), result);
}

Id Int4Values::within(const Int4Type& type, Id index) {
    if (const std::optional<uint64_t> known = context_.module.constantValue(index)) {
        return emit_.constant(static_cast<uint32_t>(*known % type.components));
    }
    // Behaviour is undefined for an index out of range, but other memory should not change.
    return U32(emit_, emit_.toU32(index)) & (std::bit_ceil(type.components) - 1);
}

Int4Values::Position Int4Values::position(const Int4Type& type, Id index) {
    index = within(type, index);
    return {emit_.over(index, 8), emit_.times(emit_.modulo(index, 8), 4)};
}

Id Int4Values::wordAt(std::span<const Id> words, Id which) {
    if (words.size() == 1) return words[0];
    if (const std::optional<uint64_t> known = context_.module.constantValue(which)) {
        return words[static_cast<size_t>(*known)];
    }
    const Id second = emit_.compare(OpINotEqual, which, emit_.constant(0));
    return emit_.select(second, words[1], words[0]);
}

Id Int4Values::bits(Id word, Id shift, bool isSigned) {
    return U32(emit_, word).field(shift, 4, isSigned);
}

std::vector<Id> Int4Values::components(Id value, const Int4Type& type, bool isSigned) {
    if (type.components == 1) return {component(value, type, emit_.constant(0), isSigned)};
    const std::vector<Id> all = words(value, type);
    std::vector<Id> list;
    for (uint32_t i = 0; i < type.components; ++i) {
        list.push_back(bits(all[i / 8], emit_.constant(4 * (i % 8)), isSigned));
    }
    return list;
}

Id Int4Values::component(Id value, const Int4Type& type, Id index, bool isSigned) {
    TypeTable& types = context_.types;
    if (type.components == 1) {
        // The 8-bit integer is already sign or zero extended, by its type.
        const spv::Op convert = type.isSigned ? OpSConvert : OpUConvert;
        const Id wide = emit_.op(convert, types.uint32(), {value});
        return type.isSigned == isSigned ? wide : bits(wide, types.constantU32(0), isSigned);
    }
    const Position at = position(type, index);
    return bits(wordAt(words(value, type), at.word), at.shift, isSigned);
}

Id Int4Values::withComponent(Id value, const Int4Type& type, Id index, Id component) {
    std::vector<Id> all = words(value, type);
    const Position at = position(type, index);
    for (uint32_t w = 0; w < all.size(); ++w) {
        const std::optional<uint64_t> known = context_.module.constantValue(at.word);
        if (known && *known != w) continue;
        const Id changed = U32(emit_, all[w]).withField(component, at.shift, 4);
        if (known || all.size() == 1) {
            all[w] = changed;
            continue;
        }
        const Id here = emit_.compare(OpIEqual, at.word, emit_.constant(w));
        all[w] = emit_.select(here, changed, all[w]);
    }
    return fromWords(type, all);
}

Id Int4Values::scalar(Id type, bool isSigned, Id component, std::optional<Id> result) {
    const Id value = bits(component, emit_.constant(0), isSigned);
    const spv::Op convert = isSigned ? OpSConvert : OpUConvert;
    return emit_.op(convert, type, {value}, result);
}

Id Int4Values::make(const Int4Type& type, std::span<const Id> components,
                    std::optional<Id> result) {
    if (type.components == 1) return scalar(type.id, type.isSigned, components[0], result);
    std::vector<Id> all;
    for (uint32_t i = 0; i < type.components; ++i) {
        if (i % 8 == 0) all.push_back(emit_.constant(0));
        all.back() =
            U32(emit_, all.back()).withField(components[i], emit_.constant(4 * (i % 8)), 4);
    }
    return fromWords(type, all, result);
}

Vector16Memory::Vector16Memory(Int4Context& context)
    : MemoryTypes(context),
      int4_(context),
      any_(std::ranges::any_of(context.int4, [](const auto& i) { return i.second.laidOut != 0; })) {
    if (any_) make();
}

bool Vector16Memory::isPointer(Id type) const {
    const Instruction& def = module_.def(type);
    return any_ && isPointerType(def.opcode) && int4_.isLaidOut(storageOf(def));
}

Id Vector16Memory::scalarInMemory(Id type) const {
    const Int4Type* vector = int4_.type(type);
    return vector != nullptr && vector->laidOut != 0 ? vector->laidOut : type;
}

Id Vector16Memory::convertScalar(Emitter& emit, Id value, Id type) const {
    TypeTable& types = emit.types();
    const Id word = types.uint32(), bytes = types.vectorType(types.intType(8, false), 4);
    const bool toMemory = int4_.type(type) == nullptr;
    Id parts[2];
    for (uint32_t p = 0; p < 2; ++p) {
        parts[p] = emit.bitcast(toMemory ? bytes : word,
                                emit.extract(toMemory ? word : bytes, value, {p}));
    }
    return emit.construct(type, parts);
}

void Vector16Memory::checkPointers() {
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (i->opcode != OpTypePointer || isPointer(i->result)) continue;
        const Id type = i->word(1);
        if (int4_.type(type) != nullptr || inMemory(type) == type) continue;
        int4_.unsupported(
            *i,
            "points to a type with vectors of sixteen 4-bit integers that has a layout, in "
            "memory without one (VUID-StandaloneSpirv-None-10684)");
    }
}

void Vector16Memory::checkMatrix(const Instruction& access) {
    const Id pointer = access.word(0);
    const Id type = module_.pointee(pointer);
    if (!isPointer(module_.def(pointer).type) || inMemory(type) == type) return;
    int4_.unsupported(
        access,
        "matrices behind a pointer to sixteen 4-bit integers need all such vectors of the "
        "module at multiples of four bytes");
}

}  // namespace coopvk::rewrite
