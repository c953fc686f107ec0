// SPDX-License-Identifier: Apache-2.0
#include "lowering/element_pointer.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

ElementPointer::ElementPointer(LoweringContext& context, Emitter& emit, Id pointer,
                               const Instruction& at)
    : context_(context) {
    Module& module = context.module;
    pointerType_ = module.def(pointer).type;
    const Instruction& type = module.def(pointerType_);
    if (type.opcode != spv::Op::OpTypePointer) {
        context.fail(ErrorCode::kUnsupported, at, "Pointer is not a typed pointer");
        return;
    }
    storage_ = storageOf(type);
    pointee_ = type.word(1);
    const uint32_t bits = context.types.width(pointee_);
    if (bits < 8 || context.types.components(pointee_) == 0) {
        context.fail(ErrorCode::kInvalidModule, at,
                     "Pointer must point to a numeric scalar or vector");
        return;
    }
    scalar_ = context.types.scalarOf(pointee_);
    scalarBytes_ = bits / 8;
    components_ = context.types.components(pointee_);
    const bool wide = storage_ == spv::StorageClass::PhysicalStorageBuffer &&
                      module.hasCapability(spv::Capability::Int64);
    indexType_ = context.types.intType(wide ? 64 : 32, false);
    resolve(emit, pointer, at);
}

bool ElementPointer::pointsIntoArray(const Instruction& chain) const {
    const Module& module = context_.module;
    if (chain.operands.size() < 2) return false;
    const Id type = typeBehind(module, chainStep(module, chain), 1);
    const Instruction& array = module.def(type);
    if (!isArrayType(array.opcode)) return false;
    // The specification ignores ArrayStride: elements of Pointer[] are tightly packed. Indices into
    // the array reach these only if the array is tightly packed, too.
    const std::optional<uint32_t> stride = module.decoration(type, spv::Decoration::ArrayStride);
    return !stride || *stride == pointeeBytes();
}

void ElementPointer::resolve(Emitter& emit, Id pointer, const Instruction& at) {
    Module& module = context_.module;
    const Instruction* def = &behindCopies(module, pointer);
    origin_ = context_.types.constant(indexType_, 0);
    if (isAccessChain(def->opcode) && pointsIntoArray(*def)) {
        chain_ = spv::Op::OpAccessChain;  // not in bounds: elements may lie beyond an inner array
        base_ = def->word(0);
        for (size_t i = 1; i + 1 < def->operands.size(); ++i) prefix_.push_back(def->word(i));
        origin_ = asIndex(emit, def->operands.back().word);
        return;
    }
    const bool isVariable = module.hasCapability(spv::Capability::VariablePointers) ||
                            (module.hasCapability(spv::Capability::VariablePointersStorageBuffer) &&
                             storage_ == spv::StorageClass::StorageBuffer);
    if (storage_ != spv::StorageClass::PhysicalStorageBuffer && !isVariable) {
        context_.fail(ErrorCode::kUnsupported, at,
                      "Pointer must be an access chain into a tightly packed array");
        scalar_ = 0;
        return;
    }
    chain_ = spv::Op::OpPtrAccessChain;
    base_ = pointer;
    const std::optional<uint32_t> stride =
        module.decoration(pointerType_, spv::Decoration::ArrayStride);
    if (stride && *stride != pointeeBytes()) {
        context_.fail(ErrorCode::kUnsupported, at, "the pointer's ArrayStride is not tight");
        scalar_ = 0;
    } else if (!stride && storage_ != spv::StorageClass::Workgroup) {
        module.decorate(pointerType_, spv::Decoration::ArrayStride, {pointeeBytes()});
    }
}

Id ElementPointer::asIndex(Emitter& emit, Id integer) {
    TypeTable& types = context_.types;
    const Id type = emit.typeOf(integer);
    if (const std::optional<uint64_t> value = context_.module.constantValue(integer)) {
        return types.constant(indexType_, *value);
    }
    if (types.width(type) == types.width(indexType_)) return emit.bitcast(indexType_, integer);
    const spv::Op convert = types.isSigned(type) ? spv::Op::OpSConvert : spv::Op::OpUConvert;
    return emit.op(convert, indexType_, {integer});
}

Id ElementPointer::at(Emitter& emit, Id index, Id component) {
    Operands operands = {idOperand(base_)};
    for (Id id : prefix_) operands.push_back(idOperand(id));
    operands.push_back(idOperand(index));
    Id type = pointerType_;
    if (component != 0) {
        operands.push_back(idOperand(component));
        type = context_.types.pointerType(storage_, scalar_);
    }
    return emit.op(chain_, type, std::move(operands));
}

}  // namespace coopvk::rewrite
