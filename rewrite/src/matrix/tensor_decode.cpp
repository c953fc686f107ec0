// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/effects.hpp"
#include "ir/emitter.hpp"
#include "lowering/memory_types.hpp"
#include "lowering/place.hpp"
#include "matrix/tensor_elements.hpp"

namespace coopvk::rewrite {

TensorDecode::TensorDecode(MatrixContext& context, Emitter& emit, const Instruction& at,
                           const MatrixType& matrix, const TensorLayoutType& layout, Kind kind,
                           Id function, Id pointer)
    : context_(context), at_(at), dimensions_(layout.dimensions) {
    Module& module = context.module;
    const Instruction& definition = module.def(function);
    const Instruction& type = module.def(definition.word(1));
    const Instruction& result = module.def(type.word(0));
    const bool isVector = kind == Kind::kVector;
    const bool isRightResult =
        isVector ? result.opcode == OpTypeVector && result.word(0) == matrix.component
                 : type.word(0) == matrix.component;
    if (definition.opcode != OpFunction || !isRightResult || !hasParameters(type)) {
        refuse(isVector ? "DecodeVectorFunc must return a vector of components, and take what "
                          "DecodeFunc takes"
                        : "DecodeFunc must return a component, and take a pointer to a physical "
                          "block and two arrays of as many 32-bit integers as the layout has "
                          "dimensions");
        return;
    }
    mayRepeat_ = Effects(module).onlyGivesResult(function);
    functionType_ = type.result;
    resultType_ = type.word(0);
    const Id block = module.def(type.word(1)).word(1);
    blockBytes_ = sizeOfType(context.types, block);
    if (blockBytes_ == 0) {
        refuse("the block that DecodeFunc takes has no explicit layout");
        return;
    }
    declareNumbersIn(context.types, context.target.device, block);
    const spv::StorageClass storage = storageOf(module.def(emit.typeOf(pointer)));
    if (!isOneOf(storage,
                 {spv::StorageClass::PhysicalStorageBuffer, spv::StorageClass::StorageBuffer})) {
        refuse("the Pointer of a load with DecodeFunc must be in buffer memory");
        return;
    }
    const BufferPlace place = placeOf(emit, pointer);
    if (!place.valid()) {
        const auto [code, text] = place.refusal();
        context.fail(code, at, text);
        return;
    }
    memory_.emplace(context, place);
    if (place.isAddress) useUnits(emit);
    function_ = place.isAddress ? function : cloneDecode(context, at, function, place);
}

// Some drivers do not step over whole blocks by OpPtrAccessChain, so the pointer becomes one to an
// array of units.
void TensorDecode::useUnits(Emitter& emit) {
    TypeTable& types = context_.types;
    const uint32_t bytes = std::min(16u, powerOfTwoIn(blockBytes_));
    unit_ =
        bytes < 4 ? types.intType(bytes * 8, false) : types.vectorType(types.uint32(), bytes / 4);
    declareNumbersIn(types, context_.target.device, unit_);
    memory_->view(emit, unit_);
}

bool TensorDecode::refuse(std::string_view what) {
    return context_.fail(ErrorCode::kInvalidModule, at_, what);
}

bool TensorDecode::hasParameters(const Instruction& type) const {
    const Module& module = context_.module;
    const TypeTable& types = context_.types;
    if (type.operands.size() != 4) return false;
    const Instruction& pointer = module.def(type.word(1));
    if (pointer.opcode != OpTypePointer ||
        storageOf(pointer) != spv::StorageClass::PhysicalStorageBuffer) {
        return false;
    }
    for (const size_t parameter : {2, 3}) {
        const Instruction& array = module.def(type.word(parameter));
        if (array.opcode != OpTypeArray || module.constantValue(array.word(1)) != dimensions_ ||
            !types.isInteger(array.word(0)) || types.width(array.word(0)) != 32) {
            return false;
        }
    }
    return true;
}

Id TensorDecode::coordinates(Emitter& emit, uint32_t parameter, std::span<const Id> values) {
    const Module& module = context_.module;
    const Id array = module.def(functionType_).word(parameter + 1);
    const Id element = module.def(array).word(0);
    std::vector<Id> members;
    for (const Id value : values.first(dimensions_))
        members.push_back(emit.bitcast(element, value));
    return emit.construct(array, members);
}

Id TensorDecode::call(Emitter& emit, const TensorPart& place) {
    Operands operands = {idOperand(function_)};
    const BufferPlace& memory = memory_->place();
    const Id block = emit.toUnsigned(memory_->indexType(), place.index);
    if (memory.isAddress) {
        const uint32_t bytes = bytesOf(context_.types, unit_);
        const Id index = emit.times(block, blockBytes_ / bytes);
        const Id first = memory_->pointer(emit, unit_, index);
        const Id parameter = context_.module.def(functionType_).word(1);
        operands.push_back(idOperand(emit.bitcast(parameter, first)));
    } else {
        append(operands, idOperands(memory.arguments(context_.module)));
        operands.push_back(idOperand(emit.sum(memory.bytes, emit.times(block, blockBytes_))));
    }
    append(operands, {idOperand(coordinates(emit, 1, place.block)),
                      idOperand(coordinates(emit, 2, place.inBlock))});
    return emit.op(OpFunctionCall, resultType_, std::move(operands));
}

std::optional<TensorOperands> tensorOperands(MatrixContext& context, const Instruction& at) {
    TensorOperands operands;
    operands.pointer = at.word(0);
    operands.object = at.word(1);
    operands.layout = at.word(2);
    operands.memory = MemoryOperands(operandsBehind(at, 3));
    const std::span<const Operand> addressing = tensorAddressing(at);
    const auto fails = [&](std::string_view what) {
        context.invalid(at, what);
        return std::nullopt;
    };
    if (addressing.empty()) return fails("Tensor Addressing Operands are missing");
    using Mask = spv::TensorAddressingOperandsMask;
    size_t next = 1;
    uint32_t left = addressing[0].word;
    const auto take = [&](Mask bit, std::optional<Id>& id) {
        if ((left & static_cast<uint32_t>(bit)) == 0) return;
        left &= ~static_cast<uint32_t>(bit);
        if (next < addressing.size()) id = addressing[next++].word;
    };
    take(Mask::TensorView, operands.view);
    take(Mask::DecodeFunc, operands.decode);
    take(Mask::DecodeVectorFunc, operands.decodeVector);
    if (left != 0) return fails("Tensor Addressing Operands have bits that are not known");
    if (context.tensors.layoutOf(context.module, operands.layout) == nullptr) {
        return fails("TensorLayout is not a tensor layout");
    }
    if (operands.view && context.tensors.viewOf(context.module, *operands.view) == nullptr) {
        return fails("TensorView is not a tensor view");
    }
    return operands;
}

}  // namespace coopvk::rewrite
