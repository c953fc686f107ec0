// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/composites.hpp"
#include "ir/entry_point.hpp"
#include "ir/memory_operands.hpp"
#include "lowering/words.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

namespace {

// If a chain selects a component, ends it at the vector and notes which component.
bool lowerChain(Int4Function& f, Instruction& i) {
    Int4Context& context = f.context;
    const size_t first = firstChainIndex(i.opcode);
    const auto isVector = [&](Id type) { return context.vector(type) != nullptr; };
    const auto index = indexInto(context.module, i, isVector);
    f.memory.retypeChain(i);
    if (!index) return false;
    const auto [vectorType, at] = *index;
    const bool untyped = namesChainType(i.opcode);
    Id vector = chainBase(i);
    if (at > first || first > 1) {
        const spv::StorageClass storage = context.module.storage(vector);
        const Id type = untyped ? i.type : context.types.pointerType(storage, vectorType);
        const auto some = std::span(i.operands).first(at);
        vector = f.emit().op(i.opcode, type, Operands(some.begin(), some.end()));
    }
    context.componentPointers[i.result] = {vector, i.word(at), vectorType};
    return true;
}

// A load or store of one component. In memory that other invocations may store to, a store changes
// the component's byte only, or uses atomic instructions.
class ComponentAccess {
 public:
    ComponentAccess(Int4Function& f, const ComponentPointer& pointer,
                    std::span<const Operand> memory)
        : context_(f.context),
          types_(context_.types),
          emit_(f.emit()),
          pointer_(pointer),
          type_(*context_.type(pointer.type)),
          values_(f.values),
          memory_(memory),
          storage_(context_.module.storage(pointer.vector)) {}

    // Defines `result`, sign extended if the vector's components are signed.
    void load(Id type, Id result) {
        const bool isSigned = type_.isSigned;
        const Id word = isByte() ? values_.bits(readByte(), shift(), isSigned)
                                 : values_.component(loadWhole(), type_, pointer_.index, isSigned);
        values_.scalar(type, type_.isSigned, word, result);
    }

    // Stores the low four bits of a u32.
    void store(Id component) {
        if (isByte()) {
            const Id old = readByte();
            const Id changed = U32(emit_, old).withField(component, shift(), 4);
            const Id byte = emit_.op(OpUConvert, types_.intType(8, false), {changed});
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

    // A pointer to the part of the vector that the indices select, of type `part`.
    Id pointerTo(Id part, std::initializer_list<Id> indices) {
        std::vector<Id> ids = {pointer_.vector};
        ids.insert(ids.end(), indices);
        if (context_.module.pointee(pointer_.vector) != 0) return emit_.chain(part, ids);
        ids.insert(ids.begin(), type_.laidOut != 0 && isByte() ? type_.laidOut : type_.id);
        return emit_.op(OpUntypedAccessChainKHR, emit_.typeOf(pointer_.vector), idOperands(ids));
    }

    // The lowest bit of the component in its byte.
    Id shift() { return emit_.times(emit_.modulo(values_.within(type_, pointer_.index), 2), 4); }

    // Loads the component's byte as a u32, and sets bytePointer_.
    Id readByte() {
        const Id u8 = types_.intType(8, false), u32 = types_.uint32();
        const Id byteIndex = emit_.over(values_.within(type_, pointer_.index), 2);
        if (type_.laidOut != 0) {
            bytePointer_ = pointerTo(u8, {emit_.over(byteIndex, 4), emit_.modulo(byteIndex, 4)});
        } else {
            bytePointer_ = pointerTo(u8, {byteIndex});
        }
        const Id byte = emit_.load(u8, bytePointer_, memory_.forLoad(1));
        return emit_.op(OpUConvert, u32, {byte});
    }

    // Clears the component's bits, then sets those that are one.
    void storeAtomically(Id component) {
        const Id u32 = types_.uint32();
        const Id index = values_.within(type_, pointer_.index);
        const Id place = emit_.times(emit_.modulo(index, 8), 4);
        const Id pointer =
            type_.components == 8 ? pointer_.vector : pointerTo(u32, {emit_.over(index, 8)});
        const Id none = types_.constantU32(0), all = types_.constantU32(~0u);
        const Id keep = U32(emit_, all).withField(none, place, 4);
        const Id set = U32(emit_, none).withField(component, place, 4);
        for (const auto& [opcode, value] :
             {std::pair(OpAtomicAnd, keep), std::pair(OpAtomicOr, set)}) {
            emit_.op(opcode, u32, {pointer, emit_.scope(scope()), none, value});
        }
    }

    spv::Scope scope() const {
        const bool shared = storage_ == spv::StorageClass::Workgroup;
        return shared ? spv::Scope::Workgroup : widestScope(context_.module);
    }

    Int4Context& context_;
    TypeTable& types_;
    Emitter& emit_;
    const ComponentPointer& pointer_;
    const Int4Type& type_;
    Int4Values& values_;
    MemoryOperands memory_;
    spv::StorageClass storage_;
    Id bytePointer_ = 0;
};

const ComponentPointer* componentPointer(const Int4Context& context, Id pointer) {
    const auto found = context.componentPointers.find(pointer);
    return found == context.componentPointers.end() ? nullptr : &found->second;
}

bool lowerPointerCopy(Int4Function& f, const Instruction& i) {
    const ComponentPointer* pointer = componentPointer(f.context, i.word(0));
    if (pointer == nullptr) return false;
    f.context.componentPointers[i.result] = *pointer;
    return true;
}

void storeComponent(Int4Function& f, const ComponentPointer& pointer, const Instruction& i) {
    const Int4Type* stored = f.context.typeOf(i.word(1));
    if (stored == nullptr || stored->components != 1) {
        return f.context.invalid(i, "the object is not a 4-bit integer");
    }
    const Id word = f.values.component(i.word(1), *stored, f.emit().constant(0), false);
    ComponentAccess(f, pointer, operandsBehind(i, 2)).store(word);
}

bool lowerAccess(Int4Function& f, Instruction& i) {
    if (const ComponentPointer* pointer = componentPointer(f.context, i.word(0))) {
        if (i.opcode == OpLoad) {
            ComponentAccess(f, *pointer, operandsBehind(i, 1)).load(i.type, i.result);
        } else {
            storeComponent(f, *pointer, i);
        }
        return true;
    }
    f.context.checkKept(i);
    return f.memory.access(f.emit(), i);
}

// Lowers a copy of a component to a load and a store.
bool lowerCopy(Int4Function& f, Instruction& i) {
    const ComponentPointer* component = componentPointer(f.context, i.word(0));
    if (component == nullptr) component = componentPointer(f.context, i.word(1));
    if (component == nullptr) return f.memory.access(f.emit(), i);
    const auto access = [&](InstructionPtr part) {
        if (!lowerAccess(f, *part)) f.emit().add(std::move(part));
    };
    const CopyOperands memory = copyOperands(i);
    const Id value = f.context.module.takeId();
    // Both access one byte: that of a scalar, or of two components.
    Operands from = {idOperand(i.word(1))}, to = {idOperand(i.word(0)), idOperand(value)};
    append(from, memory.source.forLoad(1));
    append(to, memory.target.forStore(1));
    const Id scalar = f.context.module.def(component->type).word(0);
    access(makeInstruction(OpLoad, scalar, value, std::move(from)));
    access(makeInstruction(OpStore, 0, 0, std::move(to)));
    return true;
}

bool checkMatrix(Int4Function& f, const Instruction& access) {
    f.memory.checkMatrix(access);
    return false;
}

}  // namespace

void addInt4Accesses(OpcodeTable<Int4Function>& table) {
    table.add<lowerChain>(kTypedChains);
    table.add<lowerChain>({OpUntypedAccessChainKHR, OpUntypedInBoundsAccessChainKHR,
                           OpUntypedPtrAccessChainKHR, OpUntypedInBoundsPtrAccessChainKHR,
                           OpUntypedArrayLengthKHR});
    table.add<lowerPointerCopy>({OpCopyObject});
    table.add<lowerAccess>({OpLoad, OpStore});
    table.add<lowerCopy>({OpCopyMemory});
    table.add<checkMatrix>({OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR});
}

}  // namespace coopvk::rewrite
