// SPDX-License-Identifier: Apache-2.0
#include "lowering/element_pointer.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/indexing.hpp"
#include "ir/opcodes.hpp"
#include "lowering/narrow_access.hpp"

namespace coopvk::rewrite {

// Words suffice: Pointer and Stride are multiples of 16 bytes, or of a line's size if that is less
// (Vulkan specification, VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
Id untypedPointee(LoweringContext& context, spv::StorageClass storage, Id component) {
    TypeTable& types = context.types;
    const uint32_t width = types.width(component), bits = std::max(width, 8u);
    if (bits >= 32) return component;
    if (!canAccess(context.module, context.target.device, storage, bits)) return types.uint32();
    declareAccess(context.module, storage, bits);
    return bits == width ? component : types.intType(bits, false);
}

ElementPointer::ElementPointer(LoweringContext& context, Emitter& emit, Id pointer,
                               const Instruction& at, Id component)
    : context_(context) {
    Module& module = context.module;
    pointerType_ = module.def(pointer).type;
    const Instruction& type = module.def(pointerType_);
    if (!isPointerType(type.opcode)) {
        context.fail(ErrorCode::kInvalidModule, at, "Pointer is not a pointer");
        return;
    }
    isUntyped_ = type.opcode == spv::Op::OpTypeUntypedPointerKHR;
    storage_ = storageOf(type);
    pointee_ = isUntyped_ ? untypedPointee(context, storage_, component) : type.word(1);
    const uint32_t bits = context.types.width(pointee_);
    if (bits < 8 || context.types.components(pointee_) == 0) {
        context.fail(ErrorCode::kInvalidModule, at,
                     "Pointer must point to a numeric scalar or vector");
        return;
    }
    scalar_ = context.types.scalarOf(pointee_);
    scalarBytes_ = bits / 8;
    components_ = context.types.components(pointee_);
    indexType_ = rewrite::indexType(context.types, storage_);
    isUntyped_ ? resolveUntyped(emit, pointer) : resolve(emit, pointer, at);
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
        for (size_t i = 0; i + 1 < def->operands.size(); ++i) prefix_.push_back(def->word(i));
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
    prefix_ = {pointer};
    const std::optional<uint32_t> stride =
        module.decoration(pointerType_, spv::Decoration::ArrayStride);
    if (stride && *stride != pointeeBytes()) {
        context_.fail(ErrorCode::kUnsupported, at, "the pointer's ArrayStride is not tight");
        scalar_ = 0;
    } else if (!stride && storage_ != spv::StorageClass::Workgroup) {
        module.decorate(pointerType_, spv::Decoration::ArrayStride, {pointeeBytes()});
    }
}

namespace {

// An address as a pointer of another type. Undoes the cast that made the pointer.
Id cast(Emitter& emit, Id type, Id pointer) {
    const Instruction& def = emit.module().def(pointer);
    if (def.opcode == spv::Op::OpConvertUToPtr) return emit.op(def.opcode, type, {def.word(0)});
    return emit.bitcast(type, def.opcode == spv::Op::OpBitcast ? def.word(0) : pointer);
}

}  // namespace

// Through typed pointers where memory can have these, since drivers have known them for longer.
void ElementPointer::resolveUntyped(Emitter& emit, Id pointer) {
    TypeTable& types = context_.types;
    BufferViews& views = context_.views;
    const Id zero = emit.constant(0);
    origin_ = types.constant(indexType_, 0);
    if (storage_ == spv::StorageClass::PhysicalStorageBuffer) {
        const Id block = types.pointerType(storage_, views.block(pointee_));
        pointerType_ = types.pointerType(storage_, pointee_);
        prefix_ = {cast(emit, block, pointer), zero};
        return;
    }
    const BufferPlace place =
        storage_ == spv::StorageClass::Workgroup ? BufferPlace::unknown() : placeOf(emit, pointer);
    if (place.valid()) {
        pointerType_ = types.pointerType(storage_, pointee_);
        prefix_ = views.chainInto(place, views.view(emit, place, pointee_));
        origin_ = asIndex(emit, emit.over(place.bytes, pointeeBytes()));
        return;
    }
    chain_ = spv::Op::OpUntypedAccessChainKHR;
    prefix_ = {views.array(pointee_), pointer};
}

Id ElementPointer::stride(Emitter& emit, Id operand) {
    const Id units = asIndex(emit, operand);
    if (!isUntyped_) return units;
    return emit.divInt(indexType_, units, context_.types.constant(indexType_, pointeeBytes()));
}

Id ElementPointer::asIndex(Emitter& emit, Id integer) {
    return emit.toUnsigned(indexType_, integer);
}

Id ElementPointer::at(Emitter& emit, Id index, Id component) {
    Operands operands = idOperands(prefix_);
    operands.push_back(idOperand(index));
    Id type = pointerType_;
    if (component != 0) {
        operands.push_back(idOperand(component));
        type = context_.types.pointerType(storage_, scalar_);
    }
    return emit.op(chain_, type, std::move(operands));
}

}  // namespace coopvk::rewrite
