// SPDX-License-Identifier: Apache-2.0
//
// The memory behind a pointer as words, or vectors of words.
#include <algorithm>
#include <bit>

#include "ir/composites.hpp"
#include "ir/multiples.hpp"
#include "ir/opcodes.hpp"
#include "lowering/element_pointer.hpp"
#include "lowering/place.hpp"

namespace coopvk::rewrite {

namespace {

Condition isMultiple(Emitter& emit, const Multiples& known, Id number, uint32_t of) {
    if (known.of(number) >= of) return Condition::always();
    const Id rest = emit.modulo(number, of);
    const Id zero = emit.types().constant(emit.typeOf(rest), 0);
    return emit.known(emit.compare(OpIEqual, rest, zero));
}

// The number of elements in the view of a buffer as an array of `element`.
Id lengthOf(LoweringContext& context, Emitter& emit, const BufferPlace& place, Id element) {
    Module& module = context.module;
    Id view = context.views.view(emit, place, element);
    if (place.descriptor) {
        const Id block = module.def(contentsOf(module, view)).word(0);
        view = emit.chain(block, {view, *place.descriptor});
        if (place.nonUniform) module.decorate(view, spv::Decoration::NonUniform);
    }
    return emit.op(OpArrayLength, emit.types().uint32(), {idOperand(view), literal(0u)});
}

}  // namespace

uint32_t multipleBehindRoot(LoweringContext& context, const Multiples& known, Id pointer) {
    InstructionList code;  // nothing uses it but `known`
    Emitter aside(context.types, code);
    uint32_t multiple = ~0u;
    for (const ChainStep& step : pathTo(context.module, pointer).steps) {
        std::vector<Id> indices;
        for (const Operand& index : step.indices) indices.push_back(index.word);
        const std::optional<Id> bytes = bytesTo(aside, step.type, indices);
        multiple = std::min(multiple, bytes ? known.of(*bytes) : 1);
    }
    for (InstructionPtr& i : code) context.module.retire(std::move(i));
    return multiple;
}

ElementPointer::ElementPointer(LoweringContext& context, Id pointer) : context_(context) {
    const Module& module = context.module;
    pointerType_ = module.def(pointer).type;
    const Instruction& type = module.def(pointerType_);
    isUntyped_ = type.opcode == OpTypeUntypedPointerKHR;
    isNonUniform_ = pathTo(module, pointer).nonUniform;
    storage_ = storageOf(type);
    indexType_ = rewrite::indexType(context.types, storage_);
    origin_ = constantIndex(0);
}

std::optional<ElementPointer> ElementPointer::inWords(LoweringContext& context, Emitter& emit,
                                                      Id pointer, Id component,
                                                      const WordAccess& access) {
    using enum spv::StorageClass;
    const Instruction& type = context.module.def(emit.typeOf(pointer));
    if (!isPointerType(type.opcode)) return std::nullopt;
    ElementPointer words(context, pointer);
    if (words.storage_ != StorageBuffer && words.storage_ != PhysicalStorageBuffer) {
        return std::nullopt;
    }
    const Id original = words.isUntyped_ ? component : type.word(1);
    const uint32_t bytes = bytesOf(context.types, original);
    if (bytes == 0 || bytes >= access.bytes) return std::nullopt;
    words.originalBytes_ = words.isUntyped_ ? 1 : bytes;
    words.scalar_ = context.types.uint32();
    words.scalarBytes_ = 4;
    words.components_ = access.bytes / 4;
    words.pointee_ = context.types.vectorType(words.scalar_, words.components_);
    // The code is dropped again if memory is not accessed in words.
    InstructionList code;
    Emitter aside(context.types, code);
    const bool isPossible = words.intoWords(aside, pointer, original, access);
    for (InstructionPtr& i : code) {
        if (isPossible)
            emit.out().push_back(std::move(i));
        else
            context.module.retire(std::move(i));
    }
    return isPossible ? std::optional(words) : std::nullopt;
}

bool ElementPointer::intoWords(Emitter& emit, Id pointer, Id original, const WordAccess& access) {
    TypeTable& types = context_.types;
    reaches_ = isMultiple(emit, access.known, asIndex(emit, access.stride), unitsInPointee());
    const auto mayBe = [&] {
        return !reaches_.isNever() && (reaches_.isAlways() || access.isChecked);
    };
    if (storage_ == spv::StorageClass::PhysicalStorageBuffer) {
        // glslang's alignment is that of the block, whatever the index is.
        if (std::min(access.alignment, multipleBehindRoot(context_, access.known, pointer)) <
            access.bytes) {
            const Id address = emit.op(OpBitcast, types.vectorType(scalar_, 2), {pointer});
            const Id low = emit.extract(scalar_, address, {0});
            reaches_ = emit.both(reaches_, isMultiple(emit, access.known, low, access.bytes));
        }
        if (mayBe()) intoBlock(emit, pointer);
        return mayBe();
    }
    const BufferPlace place = placeOf(emit, pointer);
    if (!place.valid()) return false;
    reaches_ = emit.both(reaches_, isMultiple(emit, access.known, place.bytes, access.bytes));
    // A load of a vector that a buffer ends in may give zeros also for what lies in the buffer.
    if (context_.target.device.robustBufferAccess && access.isChecked && mayBe()) {
        const Id element =
            isUntyped_ ? untypedPointee(context_, storage_, original) : types.scalarOf(original);
        const Id length = lengthOf(context_, emit, place, element);
        const uint32_t bytesOfElement = bytesOf(types, element);
        const uint32_t elements = access.bytes / bytesOfElement;
        reaches_ = emit.both(reaches_, isMultiple(emit, access.known, length, elements));
        // Lines may lie in a buffer ahead of which Pointer leads.
        const Id first = emit.over(place.bytes, bytesOfElement);
        const Id end = emit.toUnsigned(emit.typeOf(first), length);
        reaches_ = emit.both(reaches_, emit.known(emit.compare(OpULessThan, first, end)));
    } else if (context_.target.device.robustBufferAccess) {
        return false;
    }
    if (mayBe()) intoView(emit, place);
    return mayBe();
}

// The units that Stride counts in a pointee, but for a factor that the original pointee has itself.
uint32_t ElementPointer::unitsInPointee() const {
    return pointeeBytes() / powerOfTwoIn(originalBytes_);
}

// Stride may be negative.
Id ElementPointer::overSigned(Emitter& emit, Id units, uint32_t powerOfTwo) {
    const Scalar by = {static_cast<uint64_t>(std::countr_zero(powerOfTwo))};
    const uint32_t width = context_.types.width(indexType_);
    if (const std::optional<uint64_t> known = context_.module.constantValue(units)) {
        return context_.types.constant(
            indexType_, *evaluate(OpShiftRightArithmetic, Scalar{*known, width}, by));
    }
    if (by.bits == 0) return units;
    const Id bits = emit.constant(static_cast<uint32_t>(by.bits));
    return emit.op(OpShiftRightArithmetic, indexType_, {units, bits});
}

Id ElementPointer::strideInWords(Emitter& emit, Id units) {
    return emit.mulInt(indexType_, overSigned(emit, units, unitsInPointee()),
                       constantIndex(originalBytes_ / powerOfTwoIn(originalBytes_)));
}

}  // namespace coopvk::rewrite
