// SPDX-License-Identifier: Apache-2.0
#include "blockio/region.hpp"

#include "ir/byte_walk.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

BlockRegion::BlockRegion(LoweringContext& context, AliasVariables& aliases, Emitter& emit,
                         Id pointer, Id pitch, const Instruction& at)
    : context_(context), aliases_(aliases), pitch_(pitch) {
    Module& module = context.module;
    const Instruction& type = module.def(module.def(pointer).type);
    const bool isPointer =
        type.opcode == spv::Op::OpTypePointer || type.opcode == spv::Op::OpTypeUntypedPointerKHR;
    const auto storage = static_cast<spv::StorageClass>(type.word(0));
    if (isPointer && storage == spv::StorageClass::PhysicalStorageBuffer) {
        base_ = baseAddress(emit, pointer);
        valid_ = true;
    } else if (isPointer && storage == spv::StorageClass::StorageBuffer) {
        if (!resolveBinding(emit, pointer, at)) resolvePointer(emit, pointer, at);
        pitch_ = emit.toU32(pitch);
    } else {
        context.fail(ErrorCode::kInvalidModule, at,
                     "the base pointer must be of the CrossWorkgroup, PhysicalStorageBuffer or "
                     "StorageBuffer storage class");
    }
}

// A u64 where the device has them, else two u32. What was an integer before it became a pointer is
// taken as it was.
Id BlockRegion::baseAddress(Emitter& emit, Id pointer) {
    TypeTable& types = context_.types;
    const bool wide = context_.target.device.shaderInt64;
    if (wide) context_.module.addCapability(spv::Capability::Int64);
    const Id type = wide ? types.intType(64, false) : types.vectorType(types.uint32(), 2);
    const Instruction& def = context_.module.def(pointer);
    const bool converted =
        def.opcode == spv::Op::OpConvertUToPtr || def.opcode == spv::Op::OpBitcast;
    const Id from = converted ? def.word(0) : 0;
    const Id fromType = converted ? emit.typeOf(from) : 0;
    if (converted && types.isInteger(fromType) &&
        types.width(fromType) * types.components(fromType) == 64) {
        return emit.bitcast(type, from);
    }
    return emit.op(wide ? spv::Op::OpConvertPtrToU : spv::Op::OpBitcast, type, {pointer});
}

// True if the pointer is a known place in a known variable (or an error was found on the way).
bool BlockRegion::resolveBinding(Emitter& emit, Id pointer, const Instruction& at) {
    Module& module = context_.module;
    TypeTable& types = context_.types;
    offset_ = types.constantU32(0);
    std::vector<const Instruction*> chains;  // innermost first
    Id root = pointer;
    while (true) {
        const Instruction& def = module.def(root);
        if (def.opcode == spv::Op::OpCopyObject) {
            root = def.word(0);
        } else if (isAccessChain(def.opcode)) {
            chains.push_back(&def);
            root = def.word(0);
        } else if (isUntypedChain(def.opcode)) {
            chains.push_back(&def);
            root = def.word(1);
        } else {
            break;
        }
    }
    const spv::Op opcode = module.def(root).opcode;
    const bool untyped = opcode == spv::Op::OpUntypedVariableKHR;
    if (opcode != spv::Op::OpVariable && !untyped) return false;
    const Id contents =
        untyped ? module.def(root).word(1) : module.def(module.def(root).type).word(1);
    bool outermost = true;
    for (size_t c = chains.size(); c-- > 0;) {
        const Instruction& chain = *chains[c];
        const bool isUntyped = isUntypedChain(chain.opcode);
        ByteWalk walk(emit,
                      isUntyped ? chain.word(0) : module.def(emit.typeOf(chain.word(0))).word(1));
        size_t next = isUntyped ? 2 : 1;
        if (outermost && isArrayType(module.def(contents).opcode) && next < chain.operands.size()) {
            descriptor_ = chain.word(next++);
            walk.enterDescriptor();
        }
        outermost = false;
        for (; next < chain.operands.size(); ++next) {
            if (walk.step(chain.word(next))) continue;
            context_.fail(ErrorCode::kUnsupported, at,
                          "the base pointer leads through a type without a layout");
            return true;
        }
        offset_ = emit.addInt(types.uint32(), offset_, walk.bytes());
    }
    kind_ = Kind::kBinding;
    base_ = root;
    const std::optional<uint64_t> known = module.constantValue(offset_);
    if (!known || *known % 16 != 0) misalignment_ = offset_;
    valid_ = true;
    return true;
}

// A pointer whose variable is not known can only be followed as what it points to.
void BlockRegion::resolvePointer(Emitter& emit, Id pointer, const Instruction& at) {
    if (context_.error) return;
    elements_.emplace(context_, emit, pointer, at);
    if (!elements_->valid()) return;
    kind_ = Kind::kPointer;
    onlyWidth_ = elements_->scalarBytes();
    valid_ = elements_->components() == 1;
    if (!valid_) {
        context_.fail(ErrorCode::kUnsupported, at,
                      "a base pointer of no known variable must point to a scalar");
    }
}

Id BlockRegion::type(uint32_t bytes) {
    TypeTable& types = context_.types;
    if (bytes <= 4) return types.intType(bytes * 8, false);
    return types.vectorType(types.uint32(), bytes / 4);
}

void BlockRegion::declare(uint32_t bytes) {
    Module& module = context_.module;
    if (bytes == 1) {
        module.addCapability(spv::Capability::Int8);
        module.addCapability(spv::Capability::StorageBuffer8BitAccess);
    }
    if (bytes == 2) {
        module.addCapability(spv::Capability::Int16);
        module.addCapability(spv::Capability::StorageBuffer16BitAccess);
    }
}

Id BlockRegion::address(Emitter& emit, Id row, Id column) {
    TypeTable& types = context_.types;
    if (types.width(emit.typeOf(base_)) != 64) return wordPairAddress(emit, row, column);
    const Id u64 = types.intType(64, false);
    const auto widen = [&](Id value) {
        if (const std::optional<uint64_t> known = context_.module.constantValue(value)) {
            const bool narrow = types.width(emit.typeOf(value)) < 64;
            return types.constant(u64, narrow ? *known & 0xFFFFFFFFu : *known);
        }
        return types.width(emit.typeOf(value)) == 64 ? emit.bitcast(u64, value)
                                                     : emit.op(spv::Op::OpUConvert, u64, {value});
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
    const Id product = emit.op(spv::Op::OpUMulExtended, pair, {row, emit.toU32(pitch_)});
    Id low = emit.extract(u32, product, {0});
    Id high = emit.extract(u32, product, {1});
    const auto add = [&](Id more, Id moreHigh) {
        const Id sum = emit.op(spv::Op::OpIAddCarry, pair, {low, more});
        low = emit.extract(u32, sum, {0});
        high = emit.addInt(u32, emit.addInt(u32, high, moreHigh), emit.extract(u32, sum, {1}));
    };
    add(column, types.constantU32(0));
    add(emit.extract(u32, base_, {0}), emit.extract(u32, base_, {1}));
    const Id words[] = {low, high};
    return emit.construct(types.vectorType(u32, 2), words);
}

Id BlockRegion::pointerTo(Emitter& emit, uint32_t bytes, Id row, Id column) {
    TypeTable& types = context_.types;
    const Id u32 = types.uint32();
    declare(bytes);
    if (kind_ == Kind::kAddress) {
        const Id pointer = types.pointerType(spv::StorageClass::PhysicalStorageBuffer, type(bytes));
        const Id place = address(emit, row, column);
        const bool wide = types.components(emit.typeOf(place)) == 1;
        return emit.op(wide ? spv::Op::OpConvertUToPtr : spv::Op::OpBitcast, pointer, {place});
    }
    const Id start = emit.mulInt(u32, row, pitch_);
    const Id byte = emit.addInt(u32, start, column);
    if (kind_ == Kind::kPointer) {
        const Id index = emit.divInt(u32, byte, types.constantU32(bytes));
        const Id type = elements_->indexType();
        return elements_->at(
            emit, emit.addInt(type, elements_->origin(), elements_->asIndex(emit, index)));
    }
    const Id index = emit.divInt(u32, emit.addInt(u32, byte, offset_), types.constantU32(bytes));
    const Id variable = aliases_.get(base_, type(bytes), bytes);
    Operands operands = {idOperand(variable)};
    if (descriptor_ != 0) operands.push_back(idOperand(descriptor_));
    operands.push_back(idOperand(types.constantU32(0)));
    operands.push_back(idOperand(index));
    return emit.op(spv::Op::OpAccessChain,
                   types.pointerType(spv::StorageClass::StorageBuffer, type(bytes)),
                   std::move(operands));
}

Id BlockRegion::load(Emitter& emit, uint32_t bytes, Id row, Id column) {
    const Id pointer = pointerTo(emit, bytes, row, column);
    Operands operands = {idOperand(pointer)};
    if (kind_ == Kind::kAddress) {
        operands.push_back(literal(spv::MemoryAccessMask::Aligned));
        operands.push_back(literal(bytes));
    }
    if (kind_ != Kind::kPointer) {
        return emit.op(spv::Op::OpLoad, type(bytes), std::move(operands));
    }
    const Id value = emit.op(spv::Op::OpLoad, elements_->scalar(), std::move(operands));
    return emit.bitcast(type(bytes), value);
}

void BlockRegion::store(Emitter& emit, uint32_t bytes, Id row, Id column, Id value) {
    const Id pointer = pointerTo(emit, bytes, row, column);
    if (kind_ == Kind::kPointer) value = emit.bitcast(elements_->scalar(), value);
    Operands operands = {idOperand(pointer), idOperand(value)};
    if (kind_ == Kind::kAddress) {
        operands.push_back(literal(spv::MemoryAccessMask::Aligned));
        operands.push_back(literal(bytes));
    }
    emit.opVoid(spv::Op::OpStore, std::move(operands));
}

}  // namespace coopvk::rewrite
