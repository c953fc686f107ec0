// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "blockio/lower.hpp"
#include "ir/opcodes.hpp"
#include "lowering/place.hpp"

namespace coopvk::rewrite {

BlockRegion::BlockRegion(LoweringContext& context, Emitter& emit, Id pointer, Id pitch,
                         const Instruction& at)
    : context_(context), pitch_(pitch) {
    Module& module = context.module;
    const Instruction& type = module.def(module.def(pointer).type);
    const bool isPointer = isPointerType(type.opcode);
    if (isPointer && storageOf(type) == spv::StorageClass::PhysicalStorageBuffer) {
        base_ = baseAddress(emit, pointer);
        valid_ = true;
    } else if (isPointer && storageOf(type) == spv::StorageClass::StorageBuffer) {
        valid_ = resolve(emit, pointer, at);
        pitch_ = emit.toU32(pitch);
    } else {
        context.invalid(at,
                        "the base pointer must be of the CrossWorkgroup, PhysicalStorageBuffer or "
                        "StorageBuffer storage class");
    }
}

// A u64 if the device supports it, else two u32. Undoes a conversion from an integer.
Id BlockRegion::baseAddress(Emitter& emit, Id pointer) {
    TypeTable& types = context_.types;
    const bool wide = context_.target.device.shaderInt64;
    if (wide) context_.module.addCapability(spv::Capability::Int64);
    const Id type = wide ? types.intType(64, false) : types.vectorType(types.uint32(), 2);
    const Instruction& def = context_.module.def(pointer);
    const bool converted = def.opcode == OpConvertUToPtr || def.opcode == OpBitcast;
    const Id from = converted ? def.word(0) : 0;
    const Id fromType = converted ? emit.typeOf(from) : 0;
    if (converted && types.isInteger(fromType) &&
        types.width(fromType) * types.components(fromType) == 64) {
        return emit.bitcast(type, from);
    }
    return emit.op(wide ? OpConvertPtrToU : OpBitcast, type, {pointer});
}

// Without a known variable, only accesses to the type to which the pointer points are possible.
bool BlockRegion::resolve(Emitter& emit, Id pointer, const Instruction& at) {
    memory_ = Memory::behind(context_, emit, pointer, at, context_.types.intType(8, false));
    if (!memory_) return false;
    if (!memory_->onlyScalar()) {
        const Id bytes = memory_->place().bytes;
        const std::optional<uint64_t> known = context_.module.constantValue(bytes);
        if (!known || *known % 16 != 0) misalignment_ = emit.toU32(bytes);
        return true;
    }
    onlyWidth_ = memory_->elements().scalarBytes();
    return memory_->elements().components() == 1 ||
           context_.fail(ErrorCode::kUnsupported, at,
                         "a base pointer without a known variable must point to a scalar");
}

Id BlockRegion::type(uint32_t bytes) {
    TypeTable& types = context_.types;
    const uint32_t bits = std::min(bytes * 8, 32u);
    return types.vectorType(types.intType(bits, false), bytes * 8 / bits);
}

Id BlockRegion::address(Emitter& emit, Id row, Id column) {
    TypeTable& types = context_.types;
    if (types.width(emit.typeOf(base_)) != 64) return wordPairAddress(emit, row, column);
    const Id u64 = types.intType(64, false);
    const auto widen = [&](Id value) {
        const bool narrow = types.width(emit.typeOf(value)) < 64;
        return narrow ? emit.op(OpUConvert, u64, {value}) : emit.bitcast(u64, value);
    };
    const Id start = emit.mulInt(u64, widen(row), widen(pitch_));
    return emit.addInt(u64, base_, emit.addInt(u64, start, widen(column)));
}

// Base + row * pitch + column without 64-bit integers.
Id BlockRegion::wordPairAddress(Emitter& emit, Id row, Id column) {
    TypeTable& types = context_.types;
    const Id u32 = types.uint32();
    const Id members[] = {u32, u32};
    const Id pair = types.structType(members);
    const Id product = emit.op(OpUMulExtended, pair, {row, emit.toU32(pitch_)});
    Id low = emit.extract(u32, product, {0});
    Id high = emit.extract(u32, product, {1});
    const auto add = [&](Id more) {
        const Id sum = emit.op(OpIAddCarry, pair, {low, more});
        low = emit.extract(u32, sum, {0});
        high = emit.addU32(high, emit.extract(u32, sum, {1}));
    };
    add(column);
    high = emit.addU32(high, emit.extract(u32, base_, {1}));
    add(emit.extract(u32, base_, {0}));
    const Id words[] = {low, high};
    return emit.construct(types.vectorType(u32, 2), words);
}

// The memory for an access, and the number of the element of so many bytes.
std::pair<Memory, Id> BlockRegion::at(Emitter& emit, uint32_t bytes, Id row, Id column) {
    if (bytes <= 2) context_.types.declareArithmetic(type(bytes));
    if (memory_) {
        const Id byte = emit.addU32(emit.mulU32(row, pitch_), column);
        return {*memory_, emit.over(emit.sum(byte, memory_->bytesAhead(emit)), bytes)};
    }
    TypeTable& types = context_.types;
    const Id place = address(emit, row, column);
    const bool wide = types.components(emit.typeOf(place)) == 1;
    const Id pointer = types.pointerType(spv::StorageClass::PhysicalStorageBuffer, type(bytes));
    return {Memory(context_,
                   placeOf(emit, emit.op(wide ? OpConvertUToPtr : OpBitcast, pointer, {place}))),
            emit.constant(0)};
}

Id BlockRegion::load(Emitter& emit, uint32_t bytes, Id row, Id column) {
    auto [memory, index] = at(emit, bytes, row, column);
    return memory.load(emit, type(bytes), index);
}

void BlockRegion::store(Emitter& emit, uint32_t bytes, Id row, Id column, Id value) {
    auto [memory, index] = at(emit, bytes, row, column);
    memory.store(emit, type(bytes), index, value);
}

}  // namespace coopvk::rewrite
