// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "lowering/memory.hpp"
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

    void storeAtomically(Id component) {
        const Id index = values_.within(type_, pointer_.index);
        const Id place = emit_.times(emit_.modulo(index, 8), 4);
        const Id pointer = type_.components == 8
                               ? pointer_.vector
                               : pointerTo(types_.uint32(), {emit_.over(index, 8)});
        storeBits(emit_, pointer, component, place, 4);
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

namespace {

struct Component {
    const Int4Type* type = nullptr;  // of the vector; nullptr: no index into one
    Id vector = 0;
    Id index = 0;
    size_t at = 0;  // number of the operand that is the index
};

// The component that the indices from operand `first` on select.
Component findComponent(Int4Function& f, const Instruction& i, Id composite, size_t first) {
    Int4Context& context = f.context;
    if (i.opcode == OpVectorExtractDynamic || i.opcode == OpVectorInsertDynamic) {
        return {context.typeOf(composite), composite, i.word(first), first};
    }
    const auto isVector = [&](Id type) { return context.vector(type) != nullptr; };
    const auto index = indexInto(context.module, i, isVector);
    if (!index) return {};
    const auto [type, at] = *index;
    Component found = {context.type(type), composite, f.emit().constant(i.word(at)), at};
    if (at == first) return found;
    Operands operands = {idOperand(composite)};
    append(operands, std::span(i.operands).subspan(first, at - first));
    found.vector = f.emit().op(OpCompositeExtract, type, std::move(operands));
    return found;
}

bool lowerInt4Extract(Int4Function& f, const Instruction& i) {
    const Component from = findComponent(f, i, i.word(0), 1);
    if (from.type == nullptr) return false;
    const bool isSigned = from.type->isSigned;
    const Id component = f.values.component(from.vector, *from.type, from.index, isSigned);
    f.values.scalar(i.type, isSigned, component, i.result);
    return true;
}

// The components of a 4-bit value as u32; empty for other values.
std::vector<Id> componentsOf(Int4Function& f, Id value) {
    const Int4Type* type = f.context.typeOf(value);
    return type == nullptr ? std::vector<Id>() : f.values.components(value, *type, false);
}

void appendIds(std::vector<Id>& all, const std::vector<Id>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

bool fail(Int4Function& f, const Instruction& i, std::string_view what) {
    f.context.invalid(i, what);
    return true;
}

// OpCompositeInsert takes the object first, OpVectorInsertDynamic the vector.
bool lowerInsert(Int4Function& f, const Instruction& i) {
    const bool dynamic = i.opcode == OpVectorInsertDynamic;
    const Component to = findComponent(f, i, i.word(dynamic ? 0 : 1), 2);
    if (to.type == nullptr) return false;
    const std::vector<Id> object = componentsOf(f, i.word(dynamic ? 1 : 0));
    if (object.size() != 1) return fail(f, i, "a component must be a 4-bit integer");
    const Id changed = f.values.withComponent(to.vector, *to.type, to.index, object[0]);
    if (to.at == 2) {
        f.emit().op(OpCopyObject, to.type->id, {changed}, i.result);
        return true;
    }
    const auto some = std::span(i.operands).first(to.at);
    Operands operands(some.begin(), some.end());
    operands[0] = idOperand(changed);
    f.emit().op(i.opcode, i.type, std::move(operands), i.result);
    return true;
}

bool make(Int4Function& f, const Instruction& i, const Int4Type& type,
          std::span<const Id> components, std::string_view problem) {
    if (components.size() != type.components) return fail(f, i, problem);
    f.values.make(type, components, i.result);
    return true;
}

bool lowerConstruct(Int4Function& f, const Instruction& i) {
    const Int4Type* type = f.context.vector(i.type);
    if (type == nullptr) return false;
    std::vector<Id> all;
    for (const Operand& operand : i.operands) {
        if (all.size() >= type->components) break;
        appendIds(all, componentsOf(f, operand.word));
    }
    if (i.opcode == OpCompositeConstructReplicateEXT && all.size() == 1) {
        all.assign(type->components, all[0]);
    }
    return make(f, i, *type, all, "constituents are not as many 4-bit integers as the result");
}

bool lowerShuffle(Int4Function& f, const Instruction& i) {
    const Int4Type* type = f.context.vector(i.type);
    if (type == nullptr || f.context.typeOf(i.word(0)) == nullptr ||
        f.context.typeOf(i.word(1)) == nullptr) {
        return false;
    }
    std::vector<Id> from = componentsOf(f, i.word(0)), all;
    appendIds(from, componentsOf(f, i.word(1)));
    for (size_t o = 2; o < i.operands.size(); ++o) {
        // 0xFFFFFFFF: the component is undefined.
        all.push_back(i.word(o) < from.size() ? from[i.word(o)] : from[0]);
    }
    return make(f, i, *type, all, "one literal for each component");
}

// Only with a vector of conditions: one for the whole vector needs no change.
bool lowerSelect(Int4Function& f, const Instruction& i) {
    const Int4Type* type = f.context.vector(i.type);
    TypeTable& types = f.context.types;
    if (type == nullptr || types.components(f.emit().typeOf(i.word(0))) == 1) return false;
    const std::vector<Id> yes = componentsOf(f, i.word(1)), no = componentsOf(f, i.word(2));
    const uint32_t conditions = types.components(f.emit().typeOf(i.word(0)));
    std::vector<Id> all;
    for (uint32_t c = 0; c < std::min({size_t{conditions}, yes.size(), no.size()}); ++c) {
        const Id condition = f.emit().extract(types.boolType(), i.word(0), {c});
        all.push_back(f.emit().select(condition, yes[c], no[c]));
    }
    return make(f, i, *type, all, "one condition for each component");
}

// A frozen byte may hold more than a 4-bit integer; vectors have no such bits.
bool lowerFreeze(Int4Function& f, const Instruction& i) {
    const Int4Type* type = f.context.type(i.type);
    if (type == nullptr || type->components != 1) return false;
    const Id frozen = f.emit().op(i.opcode, type->id, {i.word(0)});
    const Id zero = f.emit().constant(0);
    const Id component = f.values.component(frozen, *type, zero, type->isSigned);
    f.values.scalar(type->id, type->isSigned, component, i.result);
    return true;
}

}  // namespace

void addInt4Composites(OpcodeTable<Int4Function>& table) {
    table.add<lowerInt4Extract>({OpCompositeExtract, OpVectorExtractDynamic});
    table.add<lowerInsert>({OpCompositeInsert, OpVectorInsertDynamic});
    table.add<lowerConstruct>({OpCompositeConstruct, OpCompositeConstructReplicateEXT});
    table.add<lowerShuffle>({OpVectorShuffle});
    table.add<lowerSelect>({OpSelect});
    table.add<lowerFreeze>({kOpFreeze});
}

std::vector<Id> Int4Values::words(Id value, const Int4Type& type) {
    const Id u32 = context_.types.uint32();
    if (type.bytes == 2) {
        const Id wide = emit_.op(OpUConvert, context_.types.vectorType(u32, 2), {value});
        const std::vector<Id> parts = emit_.parts(wide);
        return {U32(emit_, parts[0]).withField(parts[1], emit_.constant(8), 8)};
    }
    if (type.components == 8) return {emit_.bitcast(u32, value)};
    if (type.components == 16) {
        return {emit_.extract(u32, value, {0}), emit_.extract(u32, value, {1})};
    }
    return {emit_.op(OpUConvert, u32, {value})};
}

Id Int4Values::fromWords(const Int4Type& type, std::span<const Id> words,
                         std::optional<Id> result) {
    if (type.bytes == 2) {
        const Id u8 = context_.types.intType(8, false);
        const Id high = U32(emit_, words[0]) >> 8;
        const Id bytes[] = {emit_.op(OpUConvert, u8, {words[0]}), emit_.op(OpUConvert, u8, {high})};
        return emit_.construct(type.id, bytes, result);
    }
    const spv::Op opcode = type.components == 16  ? OpCompositeConstruct
                           : type.components != 8 ? OpUConvert
                           : type.isByteWise()    ? OpBitcast
                                                  : OpCopyObject;
    return emit_.op(opcode, type.id, idOperands(words), result);
}

Id Int4Values::within(const Int4Type& type, Id index) {
    if (const std::optional<uint64_t> known = context_.module.constantValue(index)) {
        return emit_.constant(static_cast<uint32_t>(*known % type.components));
    }
    // Behaviour is undefined for an index out of range, but other memory should not change.
    return U32(emit_, emit_.toU32(index)) & (std::bit_ceil(type.components) - 1);
}

Int4Values::Position Int4Values::position(const Int4Type& type, Id index) {
    index = within(type, index);
    return {emit_.over(index, 8), emit_.times(emit_.modulo(index, 8), 4)};
}

Id Int4Values::wordAt(std::span<const Id> words, Id which) {
    if (words.size() == 1) return words[0];
    if (const std::optional<uint64_t> known = context_.module.constantValue(which)) {
        return words[static_cast<size_t>(*known)];
    }
    const Id second = emit_.compare(OpINotEqual, which, emit_.constant(0));
    return emit_.select(second, words[1], words[0]);
}

Id Int4Values::bits(Id word, Id shift, bool isSigned) {
    return U32(emit_, word).field(shift, 4, isSigned);
}

std::vector<Id> Int4Values::components(Id value, const Int4Type& type, bool isSigned) {
    if (type.components == 1) return {component(value, type, emit_.constant(0), isSigned)};
    const std::vector<Id> all = words(value, type);
    std::vector<Id> list;
    for (uint32_t i = 0; i < type.components; ++i) {
        list.push_back(bits(all[i / 8], emit_.constant(4 * (i % 8)), isSigned));
    }
    return list;
}

Id Int4Values::component(Id value, const Int4Type& type, Id index, bool isSigned) {
    TypeTable& types = context_.types;
    if (type.components == 1) {
        // The 8-bit integer is already sign or zero extended, by its type.
        const spv::Op convert = type.isSigned ? OpSConvert : OpUConvert;
        const Id wide = emit_.op(convert, types.uint32(), {value});
        return type.isSigned == isSigned ? wide : bits(wide, types.constantU32(0), isSigned);
    }
    const Position at = position(type, index);
    return bits(wordAt(words(value, type), at.word), at.shift, isSigned);
}

Id Int4Values::withComponent(Id value, const Int4Type& type, Id index, Id component) {
    std::vector<Id> all = words(value, type);
    const Position at = position(type, index);
    for (uint32_t w = 0; w < all.size(); ++w) {
        const std::optional<uint64_t> known = context_.module.constantValue(at.word);
        if (known && *known != w) continue;
        const Id changed = U32(emit_, all[w]).withField(component, at.shift, 4);
        if (known || all.size() == 1) {
            all[w] = changed;
            continue;
        }
        const Id here = emit_.compare(OpIEqual, at.word, emit_.constant(w));
        all[w] = emit_.select(here, changed, all[w]);
    }
    return fromWords(type, all);
}

Id Int4Values::scalar(Id type, bool isSigned, Id component, std::optional<Id> result) {
    const Id value = bits(component, emit_.constant(0), isSigned);
    const spv::Op convert = isSigned ? OpSConvert : OpUConvert;
    return emit_.op(convert, type, {value}, result);
}

Id Int4Values::make(const Int4Type& type, std::span<const Id> components,
                    std::optional<Id> result) {
    if (type.components == 1) return scalar(type.id, type.isSigned, components[0], result);
    std::vector<Id> all;
    for (uint32_t i = 0; i < type.components; ++i) {
        if (i % 8 == 0) all.push_back(emit_.constant(0));
        all.back() =
            U32(emit_, all.back()).withField(components[i], emit_.constant(4 * (i % 8)), 4);
    }
    return fromWords(type, all, result);
}

Vector16Memory::Vector16Memory(Int4Context& context)
    : MemoryTypes(context),
      int4_(context),
      any_(std::ranges::any_of(context.int4, [](const auto& i) { return i.second.laidOut != 0; })) {
    if (any_) make();
}

bool Vector16Memory::isPointer(Id type) const {
    const Instruction& def = module_.def(type);
    return any_ && isPointerType(def.opcode) && int4_.isLaidOut(storageOf(def));
}

Id Vector16Memory::scalarInMemory(Id type) const {
    const Int4Type* vector = int4_.type(type);
    return vector != nullptr && vector->laidOut != 0 ? vector->laidOut : type;
}

Id Vector16Memory::convertScalar(Emitter& emit, Id value, Id type) const {
    TypeTable& types = emit.types();
    const Id word = types.uint32(), bytes = types.vectorType(types.intType(8, false), 4);
    const bool toMemory = int4_.type(type) == nullptr;
    Id parts[2];
    for (uint32_t p = 0; p < 2; ++p) {
        parts[p] = emit.bitcast(toMemory ? bytes : word,
                                emit.extract(toMemory ? word : bytes, value, {p}));
    }
    return emit.construct(type, parts);
}

void Vector16Memory::checkPointers() {
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (i->opcode != OpTypePointer || isPointer(i->result)) continue;
        const Id type = i->word(1);
        if (int4_.type(type) != nullptr || inMemory(type) == type) continue;
        int4_.unsupported(
            *i,
            "points to a type with vectors of sixteen 4-bit integers that has a layout, in "
            "memory without one (VUID-StandaloneSpirv-None-10684)");
    }
}

void Vector16Memory::checkMatrix(const Instruction& access) {
    const Id pointer = access.word(0);
    const Id type = module_.pointee(pointer);
    if (!isPointer(module_.def(pointer).type) || inMemory(type) == type) return;
    int4_.unsupported(
        access,
        "matrices behind a pointer to sixteen 4-bit integers need all such vectors of the "
        "module at multiples of four bytes");
}

}  // namespace coopvk::rewrite
