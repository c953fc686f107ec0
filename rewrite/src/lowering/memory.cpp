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
    return place_.isAddress ? rewrite::indexType(types(), spv::StorageClass::PhysicalStorageBuffer)
                            : bufferIndexType(types());
}

void Memory::view(Emitter& emit, Id type) {
    if (!elements_) views_[type] = context_->views.view(emit, place_, type);
}

Id Memory::pointer(Emitter& emit, Id type, Id index) {
    if (elements_) {
        const uint32_t width = elements_->components();
        const Id component = width == 1 ? 0 : emit.toU32(emit.modulo(index, width));
        const Id element = elements_->asIndex(emit, emit.over(index, width));
        return elements_->at(emit, emit.addInt(indexType(), elements_->origin(), element),
                             component);
    }
    Module& module = context_->module;
    const spv::StorageClass storage = module.storage(place_.root);
    const bool isUniform = storage == spv::StorageClass::Uniform;  // a BufferBlock
    declareAccess(module, isUniform ? spv::StorageClass::StorageBuffer : storage,
                  types().width(type));
    const auto made = views_.find(type);
    return context_->views.pointer(emit, place_, type, index,
                                   made == views_.end() ? 0 : made->second);
}

Id Memory::load(Emitter& emit, Id type, Id index) {
    const Operands operands = operands_.forLoad(bytesOf(types(), type));
    const Id at = pointer(emit, type, index);
    return emit.bitcast(type, emit.load(onlyScalar().value_or(type), at, operands));
}

void Memory::store(Emitter& emit, Id type, Id index, Id value) {
    const Operands operands = operands_.forStore(bytesOf(types(), type));
    const Id at = pointer(emit, type, index);
    emit.store(at, emit.bitcast(onlyScalar().value_or(type), value), operands);
}

Memory::Part Memory::part(Emitter& emit, Id first, const ScalarIndex& index, size_t left) const {
    const uint32_t width = elements_->components();
    IndexParts number = {index.dynamic.value_or(emit.constant(0)), 0};
    if (width != 1) number = separateConstant(emit, number.variable);
    number.constant += index.constant;
    const auto elementAt = [&](Id variable) {
        const Id type = indexType(), constant = types().constant(type, number.constant / width);
        const Id element = emit.addInt(type, first, elements_->asIndex(emit, variable));
        return emit.addInt(type, element, constant);
    };
    if (width == 1) return {elementAt(number.variable), emit.constant(0), 1};
    const uint32_t component = number.constant % width;
    if (const std::optional<Id> quotient = exactQuotient(emit, number.variable, width)) {
        const auto count = std::min(left, size_t{width - component});
        return {elementAt(*quotient), emit.constant(component), static_cast<uint32_t>(count)};
    }
    const Id scalar = emit.plus(number.variable, component);
    const auto count = std::min(left, size_t{index.together});
    return {elementAt(emit.over(scalar, width)), emit.toU32(emit.modulo(scalar, width)),
            static_cast<uint32_t>(count)};
}

std::vector<Slot> Memory::loadScalars(Emitter& emit, Id first, ScalarIndex index, uint32_t count) {
    std::vector<Id> loaded;
    for (uint32_t left = count; left != 0;) {
        const Part from = part(emit, first, index, left);
        const bool isWhole = from.count == elements_->components();
        const Id type = isWhole ? elements_->pointee() : elements_->scalar();
        const Operands operands = operands_.forLoad(bytesOf(types(), type));
        for (uint32_t i = 0; i < (isWhole ? 1 : from.count); ++i) {
            const Id pointer =
                isWhole ? elements_->at(emit, from.element) : pointerTo(emit, from, i);
            loaded.push_back(emit.load(type, pointer, operands));
        }
        left -= from.count;
        index.constant += from.count;
    }
    return slotsOf(emit, loaded);
}

void Memory::storeScalars(Emitter& emit, Id first, ScalarIndex index,
                          std::span<const Slot> scalars) {
    while (!scalars.empty()) {
        const Part to = part(emit, first, index, scalars.size());
        storePart(emit, to.element, to.component, scalars.first(to.count));
        scalars = scalars.subspan(to.count);
        index.constant += to.count;
    }
}

void Memory::storePart(Emitter& emit, Id element, Id component, std::span<const Slot> scalars) {
    const Id scalar = elements_->scalar();
    if (scalars.size() == elements_->components()) {
        const Operands operands = operands_.forStore(elements_->pointeeBytes());
        return emit.store(elements_->at(emit, element), gather(emit, scalar, scalars), operands);
    }
    const Operands operands = operands_.forStore(elements_->scalarBytes());
    for (uint32_t i = 0; i < scalars.size(); ++i) {
        const Id pointer = pointerTo(emit, {element, component, 1}, i);
        emit.store(pointer, scalarOf(emit, scalar, scalars[i]), operands);
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
