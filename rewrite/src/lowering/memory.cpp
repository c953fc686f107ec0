// SPDX-License-Identifier: Apache-2.0
#include "lowering/memory.hpp"

#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

std::optional<Memory> Memory::behind(LoweringContext& context, Emitter& emit, Id pointer,
                                     const Instruction& at, Id component,
                                     const MemoryOperands& operands) {
    const BufferPlace place = placeOf(emit, pointer);
    if (place.valid()) return Memory(context, place, operands);
    if (place.problem != BufferPlace::Problem::kNoVariable) return place.refuse(context, at);
    const ElementPointer elements(context, emit, pointer, at, component);
    return elements.valid() ? std::optional(Memory(context, elements, operands)) : std::nullopt;
}

Id Memory::indexType() const {
    if (elements_) return elements_->indexType();
    return place_.isAddress
               ? rewrite::indexType(context_->types, spv::StorageClass::PhysicalStorageBuffer)
               : bufferIndexType(context_->types);
}

void Memory::view(Emitter& emit, Id type) {
    if (!elements_) views_[type] = context_->views.view(emit, place_, type);
}

Id Memory::pointer(Emitter& emit, Id type, Id index) {
    if (elements_) return piece(emit, elements_->origin(), {0, index}, 1).pointer;
    Module& module = context_->module;
    const spv::StorageClass storage = module.storage(place_.root);
    const bool isUniform = storage == spv::StorageClass::Uniform;  // a BufferBlock
    declareAccess(module, isUniform ? spv::StorageClass::StorageBuffer : storage,
                  context_->types.width(type));
    const auto made = views_.find(type);
    return context_->views.pointer(emit, place_, type, index,
                                   made == views_.end() ? 0 : made->second);
}

Id Memory::load(Emitter& emit, Id type, Id index) {
    const Operands operands = operands_.forLoad(bytesOf(context_->types, type));
    const Id at = pointer(emit, type, index);
    return emit.bitcast(type, emit.load(onlyScalar().value_or(type), at, operands));
}

void Memory::store(Emitter& emit, Id type, Id index, Id value) {
    const Operands operands = operands_.forStore(bytesOf(context_->types, type));
    const Id at = pointer(emit, type, index);
    emit.store(at, emit.bitcast(onlyScalar().value_or(type), value), operands);
}

Memory::Piece Memory::piece(Emitter& emit, Id first, const ScalarIndex& index, size_t left) {
    const uint32_t width = elements_->components();
    const auto elementAt = [&](std::optional<Id> dynamic, uint32_t constant) {
        const Id type = indexType();
        Id element = first;
        if (dynamic) element = emit.addInt(type, element, elements_->asIndex(emit, *dynamic));
        return emit.addInt(type, element, context_->types.constant(type, constant));
    };
    if (width == 1) return {elements_->at(emit, elementAt(index.dynamic, index.constant)), 1};
    if (!index.dynamic || index.factor % width == 0) {
        std::optional<Id> dynamic;
        if (index.dynamic) dynamic = emit.over(*index.dynamic, width);
        const Id element = elementAt(dynamic, index.constant / width);
        const uint32_t component = index.constant % width;
        if (component == 0 && left >= width) return {elements_->at(emit, element), width};
        return {elements_->at(emit, element, emit.constant(component)), 1};
    }
    const Id scalar = emit.plus(*index.dynamic, index.constant);
    const Id element = elementAt(emit.over(scalar, width), 0);
    return {elements_->at(emit, element, emit.toU32(emit.modulo(scalar, width))), 1};
}

std::vector<Slot> Memory::loadScalars(Emitter& emit, Id first, ScalarIndex index, uint32_t count) {
    std::vector<Slot> out;
    while (out.size() < count) {
        const Piece from = piece(emit, first, index, count - out.size());
        const Id type = context_->types.vectorType(elements_->scalar(), from.scalars);
        const Operands operands = operands_.forLoad(from.scalars * elements_->scalarBytes());
        const Id value = emit.load(type, from.pointer, operands);
        const std::vector<Slot> slots = slotsOf(emit, {&value, 1});
        out.insert(out.end(), slots.begin(), slots.end());
        index.constant += from.scalars;
    }
    return out;
}

void Memory::storeScalars(Emitter& emit, Id first, ScalarIndex index,
                          std::span<const Slot> scalars) {
    while (!scalars.empty()) {
        const Piece to = piece(emit, first, index, scalars.size());
        const Id value = gather(emit, elements_->scalar(), scalars.first(to.scalars));
        emit.store(to.pointer, value, operands_.forStore(to.scalars * elements_->scalarBytes()));
        scalars = scalars.subspan(to.scalars);
        index.constant += to.scalars;
    }
}

std::optional<MatrixPlace> MatrixPlace::of(LoweringContext& context, Emitter& emit,
                                           const Instruction& at, ElementPointer pointer,
                                           std::span<const Operand> operands) {
    if (!pointer.valid()) return std::nullopt;
    const auto fails = [&](ErrorCode code, std::string_view what) {
        context.fail(code, at, what);
        return std::nullopt;
    };
    const std::optional<uint64_t> layout =
        operands.empty() ? std::nullopt : context.module.constantValue(operands[0].word);
    if (!layout || *layout > 1) {
        return fails(ErrorCode::kUnsupported, "MemoryLayout is not row major or column major");
    }
    if (operands.size() < 2 || !operands[1].isId) {
        return fails(ErrorCode::kInvalidModule, "row and column major layouts need a Stride");
    }
    if (!context.types.isInteger(emit.typeOf(operands[1].word))) {
        return fails(ErrorCode::kInvalidModule, "Stride must be an integer scalar");
    }
    MemoryOperands memory(operands.subspan(2));
    if (pointer.alignment() != 0) memory = memory.withAlignment(pointer.alignment());
    const Id stride = pointer.stride(emit, operands[1].word);
    return MatrixPlace{Memory(context, std::move(pointer), memory), *layout == 1, stride};
}

Id atomicScope(Emitter& emit, Id pointer) {
    const bool isShared = emit.module().storage(pointer) == spv::StorageClass::Workgroup;
    return emit.scope(isShared ? spv::Scope::Workgroup : widestScope(emit.module()));
}

// Clears the bits, then sets those that are one.
void storeBits(Emitter& emit, Id pointer, Id bits, Id first, uint32_t count) {
    const Id none = emit.constant(0), typed = emit.module().pointee(pointer);
    const Id type = typed != 0 ? typed : emit.types().uint32();
    const auto apply = [&](spv::Op opcode, Id word) {
        emit.op(opcode, type,
                {pointer, atomicScope(emit, pointer), none, emit.bitcast(type, word)});
    };
    apply(OpAtomicAnd, U32(emit, emit.constant(~0u)).withField(none, first, count));
    apply(OpAtomicOr, U32(emit, none).withField(bits, first, count));
}

Id changeWord(ControlFlow& flow, const AtomicWord& word, const std::function<Id(Id)>& change,
              bool mayBeHelper) {
    Emitter& emit = flow.emit();
    const Id u32 = emit.types().uint32(), seen = flow.variable(u32);
    emit.store(seen, emit.op(OpAtomicLoad, u32, {word.pointer, word.scope, word.relaxed}));
    flow.loopUntil([&] {
        const Id old = emit.load(u32, seen);
        const Id now =
            emit.op(OpAtomicCompareExchange, u32,
                    {word.pointer, word.scope, word.semantics, word.relaxed, change(old), old});
        emit.store(seen, now);
        const Id isDone = emit.compare(OpIEqual, now, old);
        if (!mayBeHelper) return isDone;
        return emit.op(OpLogicalOr, emit.types().boolType(), {isDone, readIsHelper(emit)});
    });
    return seen;
}

}  // namespace coopvk::rewrite
