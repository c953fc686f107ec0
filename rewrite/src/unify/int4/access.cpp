// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/composites.hpp"
#include "ir/memory_model.hpp"
#include "ir/memory_operands.hpp"
#include "lowering/bits.hpp"
#include "unify/int4/instructions.hpp"

namespace coopvk::rewrite {

namespace {

// Ends the chain at the vector and remembers the component.
bool lowerChain(Int4Context& context, Emitter& emit, const MemoryTypes& memory,
                ComponentPointers& pointers, const Instruction& i) {
    ChainStep step = chainStep(context.module, i);
    const size_t first = firstChainIndex(i.opcode);
    const auto isVector = [&](Id id) { return context.vector(id) != nullptr; };
    const auto at = findIndexInto(context.module, step.type, i.operands, first, isVector);
    if (!at) return false;
    const bool untyped = isUntypedChain(i.opcode);
    Id vector = i.word(untyped ? 1 : 0);
    if (*at > first || first > 1) {
        const spv::StorageClass storage = storageOf(context.module.def(emit.typeOf(vector)));
        const auto end = i.operands.begin() + static_cast<std::ptrdiff_t>(*at);
        InstructionPtr chain = makeInstruction(
            i.opcode, untyped ? i.type : context.types.pointerType(storage, step.type),
            context.module.takeId(), Operands(i.operands.begin(), end));
        memory.adoptChain(*chain);
        vector = chain->result;
        emit.add(std::move(chain));
    }
    pointers[i.result] = {vector, i.word(*at), step.type};
    return true;
}

// One access to a component. Memory that others may store to is read and written by the byte, which
// is what two components share, or changed by atomic instructions: never more of it.
class ComponentAccess {
 public:
    ComponentAccess(Int4Context& context, Emitter& emit, const ComponentPointer& pointer,
                    std::span<const Operand> memory)
        : context_(context),
          types_(context.types),
          emit_(emit),
          pointer_(pointer),
          type_(*context.type(pointer.type)),
          values_(context, emit),
          memory_(memory),
          storage_(storageOf(context.module.def(emit.typeOf(pointer.vector)))) {}

    // Extended by the vector's sign, as the result.
    void load(Id type, Id result) {
        const bool isSigned = type_.isSigned;
        const Id word = isByte() ? values_.bits(readByte(), shift(), isSigned)
                                 : values_.component(loadWhole(), type_, pointer_.index, isSigned);
        values_.scalar(type, type_.isSigned, word, result);
    }

    // The low bits of a u32.
    void store(Id component) {
        if (isByte()) {
            const Id old = readByte();
            const Id changed = Bits(emit_).withField(old, component, shift(), 4);
            const Id byte = emit_.op(spv::Op::OpUConvert, types_.intType(8, false), {changed});
            emit_.store(bytePointer_, byte, memory_.forStore(1));
        } else if (isPrivate(storage_) || type_.components == 2) {
            const Id whole = values_.withComponent(loadWhole(), type_, pointer_.index, component);
            emit_.store(pointer_.vector, whole, memory_.forStore(wholeBytes()));
        } else {
            storeAtomically(component);
        }
    }

 private:
    bool isByte() const {
        return type_.laidOut != 0 ? context_.isLaidOut(storage_)
                                  : type_.isByteWise() && !isPrivate(storage_);
    }
    uint32_t wholeBytes() const { return std::max(type_.components / 2, 1u); }

    Id loadWhole() { return emit_.load(type_.id, pointer_.vector, memory_.forLoad(wholeBytes())); }

    // A pointer to a part of the vector.
    Id pointerTo(Id part, std::initializer_list<Id> indices) {
        const Id type = emit_.typeOf(pointer_.vector);
        const bool untyped = context_.module.def(type).opcode == spv::Op::OpTypeUntypedPointerKHR;
        Operands operands = {idOperand(pointer_.vector)};
        if (untyped) {
            const Id base = type_.laidOut != 0 && isByte() ? type_.laidOut : type_.id;
            operands.insert(operands.begin(), idOperand(base));
        }
        for (const Id index : indices) operands.push_back(idOperand(index));
        return untyped ? emit_.op(spv::Op::OpUntypedAccessChainKHR, type, std::move(operands))
                       : emit_.op(spv::Op::OpAccessChain, types_.pointerType(storage_, part),
                                  std::move(operands));
    }

    // Of the component in its byte.
    Id shift() {
        const Id index = values_.within(type_, pointer_.index), u32 = types_.uint32();
        return emit_.mulInt(u32, emit_.modInt(u32, index, types_.constantU32(2)),
                            types_.constantU32(4));
    }

    // The byte that the component is in, as a u32.
    Id readByte() {
        const Id u8 = types_.intType(8, false), u32 = types_.uint32();
        const Id index = values_.within(type_, pointer_.index);
        const Id byteIndex = emit_.divInt(u32, index, types_.constantU32(2));
        if (type_.laidOut != 0) {
            const Id four = types_.constantU32(4);
            bytePointer_ = pointerTo(
                u8, {emit_.divInt(u32, byteIndex, four), emit_.modInt(u32, byteIndex, four)});
        } else {
            bytePointer_ = pointerTo(u8, {byteIndex});
        }
        const Id byte = emit_.load(u8, bytePointer_, memory_.forLoad(1));
        return emit_.op(spv::Op::OpUConvert, u32, {byte});
    }

    // Clears the component's bits, then sets those that are to be.
    void storeAtomically(Id component) {
        const Id u32 = types_.uint32();
        const Id index = values_.within(type_, pointer_.index);
        const Id eight = types_.constantU32(8), four = types_.constantU32(4);
        const Id place = emit_.mulInt(u32, emit_.modInt(u32, index, eight), four);
        const Id pointer = type_.components == 8
                               ? pointer_.vector
                               : pointerTo(u32, {emit_.divInt(u32, index, eight)});
        const Id none = types_.constantU32(0), all = types_.constantU32(~0u);
        const Id keep = Bits(emit_).withField(all, none, place, 4);
        const Id set = Bits(emit_).withField(none, component, place, 4);
        for (const auto& [opcode, value] :
             {std::pair(spv::Op::OpAtomicAnd, keep), std::pair(spv::Op::OpAtomicOr, set)}) {
            emit_.op(opcode, u32, {pointer, types_.constantU32(scope()), none, value});
        }
    }

    uint32_t scope() const {
        if (storage_ == spv::StorageClass::Workgroup) {
            return static_cast<uint32_t>(spv::Scope::Workgroup);
        }
        return static_cast<uint32_t>(widestScope(context_.module));
    }

    Int4Context& context_;
    TypeTable& types_;
    Emitter& emit_;
    const ComponentPointer& pointer_;
    const Int4Type& type_;
    Int4Values values_;
    MemoryOperands memory_;
    spv::StorageClass storage_;
    Id bytePointer_ = 0;
};

}  // namespace

bool lowerInt4Access(Int4Context& context, Emitter& emit, const MemoryTypes& memory,
                     ComponentPointers& pointers, const Instruction& i) {
    if (firstChainIndex(i.opcode) != 0) return lowerChain(context, emit, memory, pointers, i);
    const auto found = pointers.find(i.word(0));
    if (found == pointers.end()) return false;
    const ComponentPointer pointer = found->second;
    switch (i.opcode) {
        case spv::Op::OpCopyObject:
            pointers[i.result] = pointer;
            return true;
        case spv::Op::OpLoad:
            ComponentAccess(context, emit, pointer, operandsBehind(i, 1)).load(i.type, i.result);
            return true;
        case spv::Op::OpStore: {
            const Int4Type* stored = context.typeOf(i.word(1));
            if (stored == nullptr || stored->components != 1) {
                context.fail(ErrorCode::kInvalidModule, i, "the object is no 4-bit integer");
                return true;
            }
            const Id none = context.types.constantU32(0);
            const Id word = Int4Values(context, emit).component(i.word(1), *stored, none, false);
            ComponentAccess(context, emit, pointer, operandsBehind(i, 2)).store(word);
            return true;
        }
        default:
            return false;
    }
}

}  // namespace coopvk::rewrite
