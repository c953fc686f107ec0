// SPDX-License-Identifier: Apache-2.0
#include "vector/memory.hpp"

#include <bit>

#include "ir/memory_model.hpp"
#include "lowering/slots.hpp"

namespace coopvk::rewrite {

namespace {

uint32_t log2Of(uint32_t powerOfTwo) { return static_cast<uint32_t>(std::countr_zero(powerOfTwo)); }

// What a module must declare to hold values of 8 and 16 bits and to reach them in buffers.
void addNarrowCapabilities(VectorContext& context, uint32_t bytes, spv::StorageClass storage) {
    if (bytes >= 4) return;
    const DeviceTraits& device = context.target.device;
    const bool isByte = bytes == 1;
    if (isByte ? device.shaderInt8 : device.shaderInt16) {
        context.module.addCapability(isByte ? spv::Capability::Int8 : spv::Capability::Int16);
    }
    if (storage == spv::StorageClass::Workgroup) return;
    context.module.addCapability(isByte ? spv::Capability::StorageBuffer8BitAccess
                                        : spv::Capability::StorageBuffer16BitAccess);
    if (isByte && context.module.version() < 0x00010500) {
        context.module.addExtension("SPV_KHR_8bit_storage");
    }
}

}  // namespace

VectorMemory::VectorMemory(VectorFunction& function, const Location& location,
                           size_t firstParameter, MemoryOperands access)
    : f_(function),
      emit_(function.emit()),
      types_(function.types()),
      location_(location),
      first_(firstParameter),
      // By the alignment that the extension guarantees, which only physical pointers need to name.
      access_(access.withAlignment(location.kind == Location::Kind::kPhysical ? kAnyAlignment : 0)),
      start_(function.parameter(firstParameter + location.arguments.size() - 1)) {
    if (location.kind != Location::Kind::kPhysical) return;
    // Here, so that the cast stands ahead of all control flow.
    for (const Id type : {types_.vectorType(types_.uint32(), 4), types_.uint32()}) {
        views_[type] = castTo(type);
    }
}

void VectorMemory::makeNonPrivate() {
    access_ = MemoryOperands(nonPrivateAccess(f_.module())).withAlignment(access_.alignment());
}

// Pointer to the block { type data[]; } and on to data[index].
Id VectorMemory::viewPointer(Id type, Id index) {
    if (location_.kind == Location::Kind::kBuffer) {
        BufferPlace place = location_.place;
        if (place.descriptor != 0) place.descriptor = f_.parameter(first_);
        return f_.context().views.pointer(emit_, place, type, index);
    }
    const Id pointerType = types_.pointerType(location_.storage, type);
    const auto found = views_.find(type);
    const Id block = found != views_.end() ? found->second : castTo(type);
    return emit_.op(spv::Op::OpAccessChain, pointerType, {block, types_.constantU32(0), index});
}

// The address as a pointer to a block of them.
Id VectorMemory::castTo(Id type) {
    const Id block = f_.context().views.block(type);
    return emit_.op(spv::Op::OpBitcast, types_.pointerType(location_.storage, block),
                    {f_.parameter(first_)});
}

bool VectorMemory::isArrayOf(Id type) const {
    if (location_.kind != Location::Kind::kElements) return true;
    return types_.scalarOf(location_.element) == type;
}

Id VectorMemory::wordPointer(Id type, Id index) {
    if (location_.kind != Location::Kind::kElements) return viewPointer(type, index);
    return isArrayOf(type) ? elementPointer(index) : 0;
}

Id VectorMemory::load(Id type, Id index) {
    const uint32_t bytes = types_.width(type) / 8 * types_.components(type);
    addNarrowCapabilities(f_.context(), bytes, location_.storage);
    Operands operands = {idOperand(viewPointer(type, index))};
    append(operands, access_.forLoad(bytes));
    return emit_.op(spv::Op::OpLoad, type, std::move(operands));
}

void VectorMemory::store(Id type, Id index, Id value) {
    const uint32_t bytes = types_.width(type) / 8 * types_.components(type);
    addNarrowCapabilities(f_.context(), bytes, location_.storage);
    Operands operands = {idOperand(viewPointer(type, index)), idOperand(value)};
    append(operands, access_.forStore(bytes));
    emit_.opVoid(spv::Op::OpStore, std::move(operands));
}

// ---------------------------------------------------------------------------------------------
// Through the elements of the application's own array

uint32_t VectorMemory::elementBytes() const { return types_.width(location_.element) / 8; }

Id VectorMemory::bits(uint32_t bytes) { return types_.intType(8 * bytes, false); }

Id VectorMemory::elementPointer(Id scalarIndex) {
    const uint32_t components = types_.components(location_.element);
    const Id u32 = types_.uint32();
    std::vector<Id> chain;
    const size_t indices = location_.firstIndex();
    chain.push_back(location_.place.variable != 0 ? location_.place.variable
                                                  : f_.parameter(first_));
    for (size_t i = indices; i + 1 < location_.arguments.size(); ++i) {
        const Id known = location_.arguments[i];
        const bool isConstant = f_.module().constantValue(known).has_value();
        chain.push_back(isConstant ? known : f_.parameter(first_ + i));
    }
    if (components == 1) {
        chain.push_back(scalarIndex);
    } else {
        const Id width = types_.constantU32(components);
        chain.push_back(emit_.divInt(u32, scalarIndex, width));
        chain.push_back(emit_.modInt(u32, scalarIndex, width));
    }
    const Id scalar = types_.scalarOf(location_.element);
    const Id result = emit_.op(spv::Op::OpAccessChain,
                               types_.pointerType(location_.storage, scalar), idOperands(chain));
    if (location_.place.nonUniform) {
        f_.module().decorate(result, spv::Decoration::NonUniform);
    }
    return result;
}

// One scalar of the array as an unsigned integer of its size.
Id VectorMemory::loadScalar(Id scalarIndex) {
    const Id scalar = types_.scalarOf(location_.element);
    addNarrowCapabilities(f_.context(), elementBytes(), location_.storage);
    Operands operands = {idOperand(elementPointer(scalarIndex))};
    append(operands, access_.forLoad(elementBytes()));
    return emit_.bitcast(bits(elementBytes()),
                         emit_.op(spv::Op::OpLoad, scalar, std::move(operands)));
}

void VectorMemory::storeScalar(Id scalarIndex, Id value) {
    const Id scalar = types_.scalarOf(location_.element);
    addNarrowCapabilities(f_.context(), elementBytes(), location_.storage);
    Operands operands = {idOperand(elementPointer(scalarIndex)),
                         idOperand(emit_.bitcast(scalar, value))};
    append(operands, access_.forStore(elementBytes()));
    emit_.opVoid(spv::Op::OpStore, std::move(operands));
}

// `bytes` (1, 2, 4) at byte bytes * index, in the low bits of a word.
Id VectorMemory::loadElements(uint32_t bytes, Id index) {
    const Id u32 = types_.uint32();
    const uint32_t size = elementBytes();
    if (size <= bytes) {
        Id word = 0;
        const Id first = emit_.mulInt(u32, index, types_.constantU32(bytes / size));
        for (uint32_t i = 0; i < bytes / size; ++i) {
            Id part = loadScalar(emit_.addInt(u32, first, types_.constantU32(i)));
            if (size < 4) part = emit_.op(spv::Op::OpUConvert, u32, {part});
            word = withPart(emit_, word, part, 8 * size * i);
        }
        return word;
    }
    const Id ratio = types_.constantU32(size / bytes);
    const Id whole = loadScalar(emit_.divInt(u32, index, ratio));
    const Id type = bits(size);
    const Id shift =
        emit_.mulInt(u32, emit_.modInt(u32, index, ratio), types_.constantU32(8 * bytes));
    Id part = emit_.op(spv::Op::OpShiftRightLogical, type, {whole, shift});
    if (size != 4) part = emit_.op(spv::Op::OpUConvert, u32, {part});
    if (bytes == 4) return part;
    return emit_.op(spv::Op::OpBitwiseAnd, u32, {part, types_.constantU32((1u << 8 * bytes) - 1)});
}

void VectorMemory::storeElements(uint32_t bytes, Id index, Id word) {
    const Id u32 = types_.uint32();
    const uint32_t size = elementBytes();
    const Id type = bits(size);
    if (size <= bytes) {
        const Id first = emit_.mulInt(u32, index, types_.constantU32(bytes / size));
        for (uint32_t i = 0; i < bytes / size; ++i) {
            Id part = word;
            if (i > 0) {
                part = emit_.op(spv::Op::OpShiftRightLogical, u32,
                                {part, types_.constantU32(8 * size * i)});
            }
            if (size < 4) part = emit_.op(spv::Op::OpUConvert, type, {part});
            storeScalar(emit_.addInt(u32, first, types_.constantU32(i)), part);
        }
        return;
    }
    // The element around it keeps its other bytes.
    const Id ratio = types_.constantU32(size / bytes);
    const Id at = emit_.divInt(u32, index, ratio);
    const Id shift =
        emit_.mulInt(u32, emit_.modInt(u32, index, ratio), types_.constantU32(8 * bytes));
    const Id low = types_.constant(type, (uint64_t{1} << 8 * bytes) - 1);
    const Id mask = emit_.op(spv::Op::OpShiftLeftLogical, type, {low, shift});
    Id part = size == 4 ? word : emit_.op(spv::Op::OpUConvert, type, {word});
    part = emit_.op(spv::Op::OpBitwiseAnd, type, {part, low});
    part = emit_.op(spv::Op::OpShiftLeftLogical, type, {part, shift});
    const Id others = emit_.op(spv::Op::OpBitwiseAnd, type,
                               {loadScalar(at), emit_.op(spv::Op::OpNot, type, {mask})});
    storeScalar(at, emit_.op(spv::Op::OpBitwiseOr, type, {others, part}));
}

// ---------------------------------------------------------------------------------------------
// Lines

// (bytes >> log2) + constant
Id VectorMemory::Line::unit(uint32_t log2, uint32_t constant) {
    Emitter& emit = memory_.emit_;
    TypeTable& types = memory_.types_;
    const Id u32 = types.uint32();
    const auto [entry, isNew] = shifted_.try_emplace(log2, 0);
    if (isNew) entry->second = emit.divInt(u32, bytes_, types.constantU32(1u << log2));
    return emit.addInt(u32, entry->second, types.constantU32(constant));
}

std::vector<Id> VectorMemory::Line::quad(uint32_t index, uint32_t words) {
    std::vector<Id> result;
    if (memory_.location_.kind == Location::Kind::kElements) {
        for (uint32_t w = 0; w < words; ++w) result.push_back(word(4 * index + w));
        return result;
    }
    TypeTable& types = memory_.types_;
    const Id four = memory_.load(types.vectorType(types.uint32(), 4), unit(4, index));
    for (uint32_t w = 0; w < words; ++w) {
        result.push_back(memory_.emit_.extract(types.uint32(), four, {w}));
    }
    return result;
}

Id VectorMemory::Line::word(uint32_t index) {
    if (memory_.location_.kind == Location::Kind::kElements) {
        return memory_.loadElements(4, unit(2, index));
    }
    return memory_.load(memory_.types_.uint32(), unit(2, index));
}

Id VectorMemory::Line::part(uint32_t byte, uint32_t bytes) {
    if (bytes == 4) return word(byte / 4);
    const Id index = unit(log2Of(bytes), byte / bytes);
    if (memory_.location_.kind == Location::Kind::kElements) {
        return memory_.loadElements(bytes, index);
    }
    const Id narrow = memory_.load(memory_.bits(bytes), index);
    return memory_.emit_.op(spv::Op::OpUConvert, memory_.types_.uint32(), {narrow});
}

std::vector<Id> VectorMemory::Line::words(uint32_t bytes) {
    std::vector<Id> result;
    for (uint32_t q = 0; q < bytes / 16; ++q) {
        for (Id w : quad(q)) result.push_back(w);
    }
    for (Id w : tail(bytes / 16 * 16, bytes % 16)) result.push_back(w);
    return result;
}

std::vector<Id> VectorMemory::Line::tail(uint32_t byte, uint32_t bytes) {
    std::vector<Id> result;
    for (uint32_t w = 0; w < bytes / 4; ++w) result.push_back(word(byte / 4 + w));
    const uint32_t rest = bytes % 4;
    const uint32_t at = byte + bytes - rest;
    if (rest == 0) return result;
    Id last = part(at, rest == 1 ? 1 : 2);
    if (rest == 3) last = withPart(memory_.emit_, last, part(at + 2, 1), 16);
    result.push_back(last);
    return result;
}

void VectorMemory::Line::storeQuad(uint32_t index, std::span<const Id> words) {
    if (memory_.location_.kind == Location::Kind::kElements) {
        for (uint32_t w = 0; w < 4; ++w) storeWord(4 * index + w, words[w]);
        return;
    }
    const Id type = memory_.types_.vectorType(memory_.types_.uint32(), 4);
    memory_.store(type, unit(4, index), memory_.emit_.construct(type, words));
}

void VectorMemory::Line::storeWord(uint32_t index, Id word) {
    if (memory_.location_.kind == Location::Kind::kElements) {
        memory_.storeElements(4, unit(2, index), word);
    } else {
        memory_.store(memory_.types_.uint32(), unit(2, index), word);
    }
}

void VectorMemory::Line::storePart(uint32_t byte, uint32_t bytes, Id word) {
    const Id index = unit(log2Of(bytes), byte / bytes);
    if (memory_.location_.kind == Location::Kind::kElements) {
        memory_.storeElements(bytes, index, word);
        return;
    }
    const Id type = memory_.bits(bytes);
    memory_.store(type, index, memory_.emit_.op(spv::Op::OpUConvert, type, {word}));
}

void VectorMemory::Line::storeWords(uint32_t bytes, std::span<const Id> words) {
    for (uint32_t q = 0; q < bytes / 16; ++q) storeQuad(q, words.subspan(4 * q, 4));
    for (uint32_t w = bytes / 16 * 4; w < bytes / 4; ++w) storeWord(w, words[w]);
    const uint32_t rest = bytes % 4;
    if (rest == 0) return;
    const uint32_t at = bytes - rest;
    Emitter& emit = memory_.emit_;
    TypeTable& types = memory_.types_;
    const Id last = words[at / 4];
    storePart(at, rest == 1 ? 1 : 2, last);
    if (rest == 3) {
        storePart(
            at + 2, 1,
            emit.op(spv::Op::OpShiftRightLogical, types.uint32(), {last, types.constantU32(16)}));
    }
}

}  // namespace coopvk::rewrite
