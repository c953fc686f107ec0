// SPDX-License-Identifier: Apache-2.0
#include "ir/byte_walk.hpp"

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

bool ByteWalk::isAtDescriptors() const {
    const Module& module = emit_.module();
    return isArrayType(module.def(type_).opcode) &&
           !module.decoration(type_, spv::Decoration::ArrayStride);
}

bool ByteWalk::skip(Id index, uint32_t stride) {
    TypeTable& types = emit_.types();
    const Id u32 = types.uint32();
    bytes_ =
        emit_.addInt(u32, bytes_, emit_.mulInt(u32, emit_.toU32(index), types.constantU32(stride)));
    type_ = emit_.module().def(type_).word(0);
    return stride != 0;
}

bool ByteWalk::step(Id index) {
    Module& module = emit_.module();
    TypeTable& types = emit_.types();
    const Instruction& type = module.def(type_);
    switch (type.opcode) {
        case spv::Op::OpTypeStruct: {
            const auto member = static_cast<uint32_t>(module.constantValue(index).value_or(0));
            const auto found = [&](spv::Decoration decoration) {
                return module.memberDecoration(type_, member, decoration);
            };
            const auto offset = found(spv::Decoration::Offset);
            matrixStride_ = found(spv::Decoration::MatrixStride).value_or(0);
            isRowMajor_ = found(spv::Decoration::RowMajor).has_value();
            type_ = type.word(member);
            bytes_ = emit_.addInt(types.uint32(), bytes_, types.constantU32(offset.value_or(0)));
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

}  // namespace coopvk::rewrite
