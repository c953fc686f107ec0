// SPDX-License-Identifier: Apache-2.0
#include "passes/word_view.hpp"

#include <algorithm>

#include "ir/buffers.hpp"
#include "ir/byte_walk.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

std::optional<WordPlace> WordViews::find(Emitter& emit, Id pointer) {
    const PointerPath way = pathTo(module_, pointer);
    WordPlace place;
    place.nonUniform = way.nonUniform;
    const Instruction& variable = module_.def(way.root);
    const auto storage = static_cast<spv::StorageClass>(variable.word(0));
    if (variable.opcode != spv::Op::OpVariable ||
        (storage != spv::StorageClass::StorageBuffer && storage != spv::StorageClass::Uniform)) {
        return std::nullopt;
    }
    ByteWalk walk(emit, module_.def(variable.type).word(1));
    for (const Id index : way.indices) {
        if (walk.isAtDescriptors()) {
            if (place.descriptor != 0) return std::nullopt;
            place.descriptor = index;
            walk.enterDescriptor();
        } else if (!walk.step(index)) {
            return std::nullopt;
        }
    }
    place.variable = view(way.root);
    place.word = emit.divInt(types_.uint32(), walk.bytes(), types_.constantU32(sizeof(uint32_t)));
    return place;
}

Id WordViews::pointer(Emitter& emit, const WordPlace& place) {
    const auto storage = static_cast<spv::StorageClass>(module_.def(place.variable).word(0));
    Operands operands = {idOperand(place.variable)};
    if (place.descriptor != 0) operands.push_back(idOperand(place.descriptor));
    operands.push_back(idOperand(types_.constantU32(0)));
    operands.push_back(idOperand(place.word));
    const Id pointer = emit.op(spv::Op::OpAccessChain, types_.pointerType(storage, types_.uint32()),
                               std::move(operands));
    if (place.nonUniform) module_.decorate(pointer, spv::Decoration::NonUniform);
    return pointer;
}

// struct { uint words[]; } with the decoration of the variable's own structure.
Id WordViews::wordArray(Id variable) {
    Id original = module_.def(module_.def(variable).type).word(1);
    if (isArrayType(module_.def(original).opcode)) original = module_.def(original).word(0);
    const bool isOld = module_.decoration(original, spv::Decoration::BufferBlock).has_value();
    const auto decoration = isOld ? spv::Decoration::BufferBlock : spv::Decoration::Block;
    Id& block = blocks_[static_cast<Id>(decoration)];
    if (block != 0) return block;
    block = bufferBlock(types_, types_.uint32(), decoration);
    module_.addName(block, "coopvk_words");
    return block;
}

Id WordViews::view(Id variable) {
    Id& result = views_[variable];
    if (result != 0) return result;
    const auto storage = static_cast<spv::StorageClass>(module_.def(variable).word(0));
    const Id original = module_.def(module_.def(variable).type).word(1);
    const Id type = likeDescriptors(module_, original, wordArray(variable));
    result = module_.takeId();
    module_.append(Section::kGlobals,
                   makeInstruction(spv::Op::OpVariable, types_.pointerType(storage, type), result,
                                   {literal(storage)}));
    for (const auto decoration : {spv::Decoration::DescriptorSet, spv::Decoration::Binding}) {
        const auto value = module_.decoration(variable, decoration);
        if (value) module_.decorate(result, decoration, {*value});
    }
    module_.decorate(result, spv::Decoration::Aliased);
    declareAliased(module_, variable);
    module_.addName(result, "coopvk_words_of");
    return result;
}

}  // namespace coopvk::rewrite
