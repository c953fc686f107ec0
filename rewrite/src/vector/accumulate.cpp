// SPDX-License-Identifier: Apache-2.0
#include "vector/accumulate.hpp"

#include <algorithm>

#include "ir/memory_model.hpp"
#include "lowering/shared_memory.hpp"
#include "vector/workgroup.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kLockKey = 0x10CC;

// Zero while it is free; see initialiseLock().
Id lockVariable(VectorContext& context) {
    const auto [entry, isNew] = context.variables.try_emplace({kLockKey}, 0);
    if (!isNew) return entry->second;
    const Id u32 = context.types.uint32();
    return entry->second = sharedVariable(context.types, u32, "coopvk_lock");
}

}  // namespace

Accumulator::Accumulator(VectorFunction& function, VectorMemory& memory, uint32_t bytes)
    : f_(function),
      emit_(function.emit()),
      types_(function.types()),
      memory_(memory),
      bytes_(bytes) {
    const DeviceTraits& device = f_.context().target.device;
    const bool shared = memory.storage() == spv::StorageClass::Workgroup;
    const Id f32 = types_.floatType(32);
    const bool hasAdd =
        shared ? device.shaderSharedFloat32AtomicAdd : device.shaderBufferFloat32AtomicAdd;
    if (bytes == 4 && hasAdd && memory.isArrayOf(f32)) {
        way_ = Way::kFloatAdd;
        f_.module().addCapability(spv::Capability::AtomicFloat32AddEXT);
        f_.module().addExtension("SPV_EXT_shader_atomic_float_add");
    } else if (memory.isArrayOf(types_.uint32())) {
        way_ = Way::kCompareExchange;
    } else if (bytes == 4 && memory.isArrayOf(f32)) {
        way_ = Way::kExchange;
    } else if (shared) {
        way_ = Way::kLock;
        memory.makeNonPrivate();  // what is private is not ordered by the lock
    }
}

Id Accumulator::relaxed() { return types_.constantU32(0); }

Id Accumulator::scope() {
    const spv::Scope scope = memory_.storage() == spv::StorageClass::Workgroup
                                 ? spv::Scope::Workgroup
                                 : widestScope(f_.module());
    return types_.constantU32(static_cast<uint32_t>(scope));
}

void Accumulator::add(Id byte, std::span<const Id> values) {
    const Id index = emit_.divInt(types_.uint32(), byte, types_.constantU32(4));
    switch (way_) {
        case Way::kFloatAdd:
            return addFloat(memory_.wordPointer(types_.floatType(32), index), values[0]);
        case Way::kCompareExchange:
            return addByWord(memory_.wordPointer(types_.uint32(), index), values);
        case Way::kExchange:
            return addByExchange(memory_.wordPointer(types_.floatType(32), index), values[0]);
        case Way::kLock:
            return addLocked(byte, values);
        case Way::kNone:
            return;
    }
}

void Accumulator::addReduced(Id byte, std::span<const Id> values) {
    Module& module = f_.module();
    module.addCapability(spv::Capability::GroupNonUniformArithmetic);
    const Id f32 = types_.floatType(32);
    const Id subgroup = types_.constantU32(static_cast<uint32_t>(spv::Scope::Subgroup));
    std::vector<Id> sums;
    for (Id value : values) {
        sums.push_back(emit_.op(
            spv::Op::OpGroupNonUniformFAdd, f32,
            {idOperand(subgroup), literal(spv::GroupOperation::Reduce), idOperand(value)}));
    }
    module.addCapability(spv::Capability::GroupNonUniform);
    const Id first = emit_.op(spv::Op::OpGroupNonUniformElect, types_.boolType(), {subgroup});
    f_.when(first, [&] { add(byte, sums); });
}

void Accumulator::addFloat(Id pointer, Id value) {
    emit_.op(spv::Op::OpAtomicFAddEXT, types_.floatType(32), {pointer, scope(), relaxed(), value});
}

// A word of memory with the values added to its numbers.
Id Accumulator::sum(Id word, std::span<const Id> values) {
    const Id f32 = types_.floatType(32);
    if (bytes_ == 4) {
        const Id old = emit_.bitcast(f32, word);
        return emit_.bitcast(types_.uint32(), emit_.op(spv::Op::OpFAdd, f32, {old, values[0]}));
    }
    f_.module().addCapability(spv::Capability::Float16);
    const Id f16 = types_.floatType(16);
    const Id pair = types_.vectorType(f16, 2);
    Id halves = emit_.bitcast(pair, word);
    for (uint32_t v = 0; v < values.size(); ++v) {
        const Id value = emit_.op(spv::Op::OpFConvert, f16, {values[v]});
        const Id old = emit_.extract(f16, halves, {v});
        halves = emit_.insert(pair, emit_.op(spv::Op::OpFAdd, f16, {old, value}), halves, {v});
    }
    return emit_.bitcast(types_.uint32(), halves);
}

void Accumulator::addByWord(Id pointer, std::span<const Id> values) {
    const Id u32 = types_.uint32();
    const Id seen = f_.variable(u32);
    f_.store(seen, emit_.op(spv::Op::OpAtomicLoad, u32, {pointer, scope(), relaxed()}));
    f_.loopUntil([&] {
        const Id old = f_.load(seen);
        const Id now = emit_.op(spv::Op::OpAtomicCompareExchange, u32,
                                {pointer, scope(), relaxed(), relaxed(), sum(old, values), old});
        f_.store(seen, now);
        return emit_.op(spv::Op::OpIEqual, types_.boolType(), {now, old});
    });
}

// Takes what is there, puts the sum back, and takes along what came in between.
void Accumulator::addByExchange(Id pointer, Id value) {
    const Id f32 = types_.floatType(32);
    const Id rest = f_.variable(f32);
    const Id zero = types_.constantFloat(f32, 0);
    f_.store(rest, value);
    f_.loopUntil([&] {
        const Id old =
            emit_.op(spv::Op::OpAtomicExchange, f32, {pointer, scope(), relaxed(), zero});
        const Id total = emit_.op(spv::Op::OpFAdd, f32, {old, f_.load(rest)});
        const Id between =
            emit_.op(spv::Op::OpAtomicExchange, f32, {pointer, scope(), relaxed(), total});
        f_.store(rest, between);
        return emit_.op(spv::Op::OpFOrdEqual, types_.boolType(), {between, zero});
    });
}

void Accumulator::addLocked(Id byte, std::span<const Id> values) {
    using enum spv::MemorySemanticsMask;
    const Id u32 = types_.uint32();
    const Id lock = lockVariable(f_.context());
    const Id workgroup = types_.constantU32(static_cast<uint32_t>(spv::Scope::Workgroup));
    const Id acquire = types_.constantU32(sharedSemantics(f_.module(), Acquire));
    const Id release = types_.constantU32(sharedSemantics(f_.module(), Release));
    f_.loopUntil([&] {
        const Id taken = emit_.op(
            spv::Op::OpAtomicCompareExchange, u32,
            {lock, workgroup, acquire, relaxed(), types_.constantU32(1), types_.constantU32(0)});
        const Id mine =
            emit_.op(spv::Op::OpIEqual, types_.boolType(), {taken, types_.constantU32(0)});
        f_.when(mine, [&] {
            auto line = memory_.line(byte);
            // A part of a word where only its first number is to change.
            const uint32_t bytes = bytes_ * static_cast<uint32_t>(values.size());
            const Id word = bytes == 4 ? line.word(0) : line.part(0, bytes);
            if (bytes == 4) {
                line.storeWord(0, sum(word, values));
            } else {
                line.storePart(0, bytes, sum(word, values));
            }
            emit_.opVoid(spv::Op::OpAtomicStore,
                         {idOperand(lock), idOperand(workgroup), idOperand(release),
                          idOperand(types_.constantU32(0))});
        });
        return mine;
    });
}

void initialiseLock(VectorContext& context) {
    const auto lock = context.variables.find({kLockKey});
    if (lock == context.variables.end()) return;
    const InstructionList& entries = context.module.section(Section::kEntryPoints);
    const auto main = std::ranges::find(context.module.functions(), entries.front()->word(1),
                                        [](const auto& function) { return function->id(); });
    if (main == context.module.functions().end() || (*main)->blocks.empty()) return;

    TypeTable& types = context.types;
    InstructionList code;
    Emitter emit(types, code);
    const Id workgroup = types.constantU32(static_cast<uint32_t>(spv::Scope::Workgroup));
    const Id zero = types.constantU32(0);
    emit.opVoid(spv::Op::OpAtomicStore,
                idOperands(std::vector{lock->second, workgroup, zero, zero}));
    sharedBarrier(emit, spv::Scope::Workgroup);

    InstructionList& body = (*main)->blocks.front()->body;
    const auto lastVariable = std::find_if(body.rbegin(), body.rend(), [](const auto& i) {
        return i->opcode == spv::Op::OpVariable || i->opcode == spv::Op::OpUntypedVariableKHR;
    });
    body.insert(lastVariable.base(), std::make_move_iterator(code.begin()),
                std::make_move_iterator(code.end()));
}

bool canReduce(const VectorContext& context) {
    const DeviceTraits& device = context.target.device;
    return device.subgroupVote && device.subgroupArithmetic && countsLanesRightly(context) &&
           (device.subgroupStages & static_cast<uint32_t>(context.stage)) != 0;
}

Id allEqual(Emitter& emit, Id value) {
    TypeTable& types = emit.types();
    emit.module().addCapability(spv::Capability::GroupNonUniformVote);
    const Id subgroup = types.constantU32(static_cast<uint32_t>(spv::Scope::Subgroup));
    return emit.op(spv::Op::OpGroupNonUniformAllEqual, types.boolType(), {subgroup, value});
}

}  // namespace coopvk::rewrite
