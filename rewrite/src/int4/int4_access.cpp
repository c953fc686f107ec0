// SPDX-License-Identifier: Apache-2.0
#include "int4/int4_access.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/memory_model.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Ends the chain at the vector and remembers the component.
bool lowerChain(Int4Context& context, Emitter& emit, ComponentPointers& pointers,
                const Instruction& i, size_t first) {
    const Module& module = context.module;
    const bool untyped = isUntypedChain(i.opcode);
    const Id base = i.word(untyped ? 1 : 0);
    const Instruction& pointer = module.def(emit.typeOf(base));
    Id type = untyped ? i.word(0) : pointer.word(1);
    const auto isVector = [&](Id id) { return context.vector(id) != nullptr; };
    const auto at = findIndexInto(module, type, i.operands, first, isVector);
    if (!at) return false;
    Id vector = base;
    if (*at > first || first > 1) {
        const auto storage = static_cast<spv::StorageClass>(pointer.word(0));
        const Id vectorPointer = untyped ? i.type : context.types.pointerType(storage, type);
        vector = emit.op(
            i.opcode, vectorPointer,
            Operands(i.operands.begin(), i.operands.begin() + static_cast<std::ptrdiff_t>(*at)));
    }
    pointers[i.result] = {vector, i.word(*at), type};
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
          storage_(static_cast<spv::StorageClass>(
              context.module.def(emit.typeOf(pointer.vector)).word(0))) {}

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
            const Id changed = emit_.op(spv::Op::OpBitFieldInsert, types_.uint32(),
                                        {readByte(), component, shift(), types_.constantU32(4)});
            const Id byte = emit_.op(spv::Op::OpUConvert, types_.intType(8, false), {changed});
            emitStore(bytePointer_, byte, 1);
        } else if (isOwn(storage_) || type_.components == 2) {
            const Id whole = values_.withComponent(loadWhole(), type_, pointer_.index, component);
            emitStore(pointer_.vector, whole, wholeBytes());
        } else {
            storeAtomically(component);
        }
    }

 private:
    bool isByte() const {
        return type_.laidOut != 0 ? context_.isLaidOut(storage_)
                                  : type_.isByteWise() && !isOwn(storage_);
    }
    uint32_t wholeBytes() const { return std::max(type_.components / 2, 1u); }

    Id loadWhole() {
        Operands operands = {idOperand(pointer_.vector)};
        append(operands, memory_.forLoad(wholeBytes()));
        return emit_.op(spv::Op::OpLoad, type_.id, std::move(operands));
    }

    void emitStore(Id pointer, Id value, uint32_t bytes) {
        Operands operands = {idOperand(pointer), idOperand(value)};
        append(operands, memory_.forStore(bytes));
        emit_.opVoid(spv::Op::OpStore, std::move(operands));
    }

    // A pointer to a part of what stands for the vector.
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
        Operands operands = {idOperand(bytePointer_)};
        append(operands, memory_.forLoad(1));
        const Id byte = emit_.op(spv::Op::OpLoad, u8, std::move(operands));
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
        const Id keep = emit_.op(spv::Op::OpBitFieldInsert, u32, {all, none, place, four});
        const Id set = emit_.op(spv::Op::OpBitFieldInsert, u32, {none, component, place, four});
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

// A component's load and a component's store.
bool lowerCopy(Int4Context& context, Emitter& emit, ComponentPointers& pointers,
               const Instruction& i) {
    const auto vectorAt = [&](size_t operand) {
        const auto found = pointers.find(i.word(operand));
        return found == pointers.end() ? Id{0} : found->second.type;
    };
    const Id vector = vectorAt(0) != 0 ? vectorAt(0) : vectorAt(1);
    if (vector == 0) return false;
    const Id scalar = context.module.def(vector).word(0);
    const Id value = context.module.takeId();
    const auto access = [&](spv::Op opcode, Id type, Id result, Operands operands,
                            const Operands& memory) {
        operands.insert(operands.end(), memory.begin(), memory.end());
        InstructionPtr one = makeInstruction(opcode, type, result, std::move(operands));
        if (lowerInt4Access(context, emit, pointers, *one)) return;
        checkInt4Access(context, *one);
        emit.add(std::move(one));
    };
    const CopyOperands memory = copyOperands(i);
    // A scalar takes a byte, and so do two components.
    access(spv::Op::OpLoad, scalar, value, {idOperand(i.word(1))}, memory.source.forLoad(1));
    access(spv::Op::OpStore, 0, 0, {idOperand(i.word(0)), idOperand(value)},
           memory.target.forStore(1));
    return true;
}

}  // namespace

bool lowerInt4Access(Int4Context& context, Emitter& emit, ComponentPointers& pointers,
                     const Instruction& i) {
    if (const size_t first = firstChainIndex(i.opcode)) {
        return lowerChain(context, emit, pointers, i, first);
    }
    if (i.opcode == spv::Op::OpCopyMemory) return lowerCopy(context, emit, pointers, i);
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
