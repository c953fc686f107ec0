// SPDX-License-Identifier: Apache-2.0
#include "passes/word_view.hpp"

#include <algorithm>

#include "ir/buffers.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

// The way down from a buffer variable.
struct WordViews::Path {
    Id type;   // where it is
    Id bytes;  // from the start of the buffer
    // Of the structure member that it last went through.
    uint32_t matrixStride = 0;
    bool isRowMajor = false;
    bool inRowMajorColumn = false;  // the components are a matrix stride apart
};

bool WordViews::step(Emitter& emit, Path& path, Id index) {
    const Instruction& type = module_.def(path.type);
    const auto skip = [&](uint32_t bytes) {
        path.bytes =
            emit.addInt(types_.uint32(), path.bytes,
                        emit.mulInt(types_.uint32(), emit.toU32(index), types_.constantU32(bytes)));
        path.type = type.word(0);
        return bytes != 0;
    };
    if (type.opcode == spv::Op::OpTypeStruct) {
        const auto member = static_cast<uint32_t>(module_.constantValue(index).value_or(0));
        const auto found = [&](spv::Decoration decoration) {
            return module_.memberDecoration(path.type, member, decoration);
        };
        const auto offset = found(spv::Decoration::Offset);
        path.matrixStride = found(spv::Decoration::MatrixStride).value_or(0);
        path.isRowMajor = found(spv::Decoration::RowMajor).has_value();
        path.bytes =
            emit.addInt(types_.uint32(), path.bytes, types_.constantU32(offset.value_or(0)));
        path.type = type.word(member);
        return offset.has_value();
    }
    if (isArrayType(type.opcode)) {
        return skip(module_.decoration(path.type, spv::Decoration::ArrayStride).value_or(0));
    }
    if (type.opcode == spv::Op::OpTypeMatrix) {
        path.inRowMajorColumn = path.isRowMajor;
        return skip(path.isRowMajor ? sizeof(uint32_t) : path.matrixStride);
    }
    return type.opcode == spv::Op::OpTypeVector &&
           skip(path.inRowMajorColumn ? path.matrixStride : sizeof(uint32_t));
}

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
    Path path = {module_.def(variable.type).word(1), types_.constantU32(0)};
    for (const Id index : way.indices) {
        // An array on the outside is one of descriptors.
        if (isArrayType(module_.def(path.type).opcode) &&
            !module_.decoration(path.type, spv::Decoration::ArrayStride)) {
            if (place.descriptor != 0) return std::nullopt;
            place.descriptor = index;
            path.type = module_.def(path.type).word(0);
        } else if (!step(emit, path, index)) {
            return std::nullopt;
        }
    }
    place.variable = view(way.root);
    place.word = emit.divInt(types_.uint32(), path.bytes, types_.constantU32(sizeof(uint32_t)));
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
