// SPDX-License-Identifier: Apache-2.0
#include "unify/int4/values.hpp"

#include <bit>

#include "lowering/bits.hpp"

namespace coopvk::rewrite {

void Int4Values::define(Id result, Id type, Id value) {
    emit_.add(makeInstruction(spv::Op::OpCopyObject, type, result, {idOperand(value)}));
}

// A value as u32 words.
std::vector<Id> Int4Values::words(Id value, const Int4Type& type) {
    const Id u32 = context_.types.uint32();
    if (type.bytes == 2) {
        const Id wide = emit_.op(spv::Op::OpUConvert, context_.types.vectorType(u32, 2), {value});
        const Id low = emit_.extract(u32, wide, {0}), high = emit_.extract(u32, wide, {1});
        return {Bits(emit_).withField(low, high, emit_.constant(8), 8)};
    }
    if (type.components == 8) return {emit_.bitcast(u32, value)};
    if (type.components == 16) {
        return {emit_.extract(u32, value, {0}), emit_.extract(u32, value, {1})};
    }
    return {emit_.op(spv::Op::OpUConvert, u32, {value})};
}

Id Int4Values::fromWords(const Int4Type& type, std::span<const Id> words, Id result) {
    if (result == 0) result = context_.module.takeId();
    if (type.bytes == 2) {
        const Id u8 = context_.types.intType(8, false);
        const Id high = Bits(emit_).right(words[0], 8);
        const Id bytes[] = {emit_.op(spv::Op::OpUConvert, u8, {words[0]}),
                            emit_.op(spv::Op::OpUConvert, u8, {high})};
        emit_.add(
            makeInstruction(spv::Op::OpCompositeConstruct, type.id, result, idOperands(bytes)));
    } else if (type.components == 8) {
        if (!type.isByteWise()) {
            define(result, type.id, words[0]);
        } else {
            emit_.add(makeInstruction(spv::Op::OpBitcast, type.id, result, {idOperand(words[0])}));
        }
    } else {
        const spv::Op opcode =
            type.components == 16 ? spv::Op::OpCompositeConstruct : spv::Op::OpUConvert;
        emit_.add(makeInstruction(opcode, type.id, result, idOperands(words)));
    }
    return result;
}

Id Int4Values::within(const Int4Type& type, Id index) {
    if (const std::optional<uint64_t> known = context_.module.constantValue(index)) {
        return emit_.constant(static_cast<uint32_t>(*known % type.components));
    }
    // An index beyond the vector is undefined behaviour, but no reason to touch other bits.
    return Bits(emit_).mask(emit_.toU32(index), std::bit_ceil(type.components) - 1);
}

Int4Values::Position Int4Values::position(const Int4Type& type, Id index) {
    TypeTable& types = context_.types;
    const Id u32 = types.uint32();
    index = within(type, index);
    const Id eight = types.constantU32(8);
    return {emit_.divInt(u32, index, eight),
            emit_.mulInt(u32, emit_.modInt(u32, index, eight), types.constantU32(4))};
}

Id Int4Values::wordAt(std::span<const Id> words, Id which) {
    if (words.size() == 1) return words[0];
    if (const std::optional<uint64_t> known = context_.module.constantValue(which)) {
        return words[*known];
    }
    TypeTable& types = context_.types;
    const Id second =
        emit_.op(spv::Op::OpINotEqual, types.boolType(), {which, types.constantU32(0)});
    return emit_.op(spv::Op::OpSelect, types.uint32(), {second, words[1], words[0]});
}

Id Int4Values::bits(Id word, Id shift, bool isSigned) {
    return Bits(emit_).field(word, shift, 4, isSigned);
}

std::vector<Id> Int4Values::components(Id value, const Int4Type& type, bool isSigned) {
    TypeTable& types = context_.types;
    if (type.components == 1) return {component(value, type, types.constantU32(0), isSigned)};
    const std::vector<Id> all = words(value, type);
    std::vector<Id> list;
    for (uint32_t i = 0; i < type.components; ++i) {
        list.push_back(bits(all[i / 8], types.constantU32(4 * (i % 8)), isSigned));
    }
    return list;
}

Id Int4Values::component(Id value, const Int4Type& type, Id index, bool isSigned) {
    TypeTable& types = context_.types;
    if (type.components == 1) {
        // The 8-bit integer is extended by the type's sign already.
        const spv::Op convert = type.isSigned ? spv::Op::OpSConvert : spv::Op::OpUConvert;
        const Id wide = emit_.op(convert, types.uint32(), {value});
        return type.isSigned == isSigned ? wide : bits(wide, types.constantU32(0), isSigned);
    }
    const Position at = position(type, index);
    return bits(wordAt(words(value, type), at.word), at.shift, isSigned);
}

Id Int4Values::withComponent(Id value, const Int4Type& type, Id index, Id component) {
    TypeTable& types = context_.types;
    const Id u32 = types.uint32();
    std::vector<Id> all = words(value, type);
    const Position at = position(type, index);
    for (uint32_t w = 0; w < all.size(); ++w) {
        const std::optional<uint64_t> known = context_.module.constantValue(at.word);
        if (known && *known != w) continue;
        const Id changed = Bits(emit_).withField(all[w], component, at.shift, 4);
        if (known || all.size() == 1) {
            all[w] = changed;
            continue;
        }
        const Id here =
            emit_.op(spv::Op::OpIEqual, types.boolType(), {at.word, types.constantU32(w)});
        all[w] = emit_.op(spv::Op::OpSelect, u32, {here, changed, all[w]});
    }
    return fromWords(type, all, 0);
}

Id Int4Values::scalar(Id type, bool isSigned, Id component, Id result) {
    TypeTable& types = context_.types;
    if (result == 0) result = context_.module.takeId();
    const Id value = bits(component, types.constantU32(0), isSigned);
    emit_.add(makeInstruction(isSigned ? spv::Op::OpSConvert : spv::Op::OpUConvert, type, result,
                              {idOperand(value)}));
    return result;
}

Id Int4Values::make(const Int4Type& type, std::span<const Id> components, Id result) {
    if (type.components == 1) return scalar(type.id, type.isSigned, components[0], result);
    std::vector<Id> all;
    for (uint32_t i = 0; i < type.components; ++i) {
        if (i % 8 == 0) all.push_back(emit_.constant(0));
        all.back() =
            Bits(emit_).withField(all.back(), components[i], emit_.constant(4 * (i % 8)), 4);
    }
    return fromWords(type, all, result);
}

}  // namespace coopvk::rewrite
