// SPDX-License-Identifier: Apache-2.0
#include "lowering/place.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Adds up the offsets of indices into types with explicit layout.
class ByteWalk {
 public:
    explicit ByteWalk(Emitter& emit) : emit_(emit), bytes_(emit.types().constantU32(0)) {}

    Id bytes() const { return bytes_; }  // from the start; u32
    // Sets the type that the next index selects from.
    void enter(Id type) { type_ = type; }
    // Follows an index. False if the layout does not tell its offset.
    bool step(Id index);

 private:
    bool skip(Id index, uint32_t stride);

    Emitter& emit_;
    Id type_ = 0;
    Id bytes_;
    // Of the last structure member on the way.
    uint32_t matrixStride_ = 0;
    bool isRowMajor_ = false;
    bool inRowMajorColumn_ = false;  // the distance between components is matrixStride_
};

bool ByteWalk::skip(Id index, uint32_t stride) {
    bytes_ = emit_.addU32(bytes_, emit_.times(emit_.toU32(index), stride));
    type_ = emit_.module().def(type_).word(0);
    return stride != 0;
}

bool ByteWalk::step(Id index) {
    Module& module = emit_.module();
    TypeTable& types = emit_.types();
    const Instruction& type = module.def(type_);
    switch (type.opcode) {
        case spv::Op::OpTypeStruct: {
            const std::optional<uint64_t> known = module.constantValue(index);
            if (!known) return false;
            const auto member = static_cast<uint32_t>(*known);
            const auto found = [&](spv::Decoration decoration) {
                return module.memberDecoration(type_, member, decoration);
            };
            const auto offset = found(spv::Decoration::Offset);
            matrixStride_ = found(spv::Decoration::MatrixStride).value_or(0);
            isRowMajor_ = found(spv::Decoration::RowMajor).has_value();
            type_ = type.word(member);
            bytes_ = emit_.plus(bytes_, offset.value_or(0));
            return offset.has_value();
        }
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
            return skip(index, module.decoration(type_, spv::Decoration::ArrayStride).value_or(0));
        case spv::Op::OpTypeMatrix:
            inRowMajorColumn_ = isRowMajor_;
            return skip(index, isRowMajor_ ? types.width(type.word(0)) / 8 : matrixStride_);
        case spv::Op::OpTypeVector:
            return skip(index, inRowMajorColumn_ ? matrixStride_ : types.width(type_) / 8);
        default:
            return false;
    }
}

}  // namespace

std::optional<Id> bytesTo(Emitter& emit, Id type, std::span<const Id> indices) {
    ByteWalk walk(emit);
    walk.enter(type);
    for (const Id index : indices) {
        if (!walk.step(index)) return std::nullopt;
    }
    return walk.bytes();
}

Id contentsOf(const Module& module, Id variable) {
    const Instruction& def = module.def(variable);
    return def.opcode == spv::Op::OpUntypedVariableKHR ? def.word(1) : module.def(def.type).word(1);
}

BufferPlace placeOf(Emitter& emit, Id pointer) {
    const Module& module = emit.module();
    const PointerPath path = pathTo(module, pointer);
    BufferPlace place;
    place.variable = path.root;
    place.nonUniform = path.nonUniform;
    const auto failed = [&](BufferPlace::Problem problem) {
        place.problem = problem;
        return place;
    };
    if (!isVariable(module.def(path.root).opcode)) {
        return failed(BufferPlace::Problem::kNoVariable);
    }
    Id contents = contentsOf(module, path.root);
    ByteWalk walk(emit);
    for (const ChainStep& step : path.steps) {
        std::span<const Operand> indices = step.indices;
        Id type = step.type;
        if (isArrayType(module.def(contents).opcode)) {
            contents = module.def(contents).word(0);
            if (isArrayType(module.def(contents).opcode)) {
                return failed(BufferPlace::Problem::kManyDescriptors);
            }
            if (indices.empty()) continue;
            place.descriptor = indices[0].word;
            place.nonUniform |=
                module.decoration(place.descriptor, spv::Decoration::NonUniform).has_value();
            type = module.def(type).word(0);
            indices = indices.subspan(1);
        }
        walk.enter(type);
        for (const Operand& index : indices) {
            if (!walk.step(index.word)) return failed(BufferPlace::Problem::kNoLayout);
        }
    }
    place.bytes = walk.bytes();
    return place;
}

}  // namespace coopvk::rewrite
