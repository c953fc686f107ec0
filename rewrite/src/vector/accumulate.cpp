// SPDX-License-Identifier: Apache-2.0
//
// Atomic additions to memory.
#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

namespace {

// 0: unlocked; see initialiseLock().
Id lockVariable(VectorContext& context) {
    const auto [entry, isNew] = context.variables.try_emplace({kLock}, 0);
    if (isNew) {
        entry->second = globalVariable(context.types, spv::StorageClass::Workgroup,
                                       context.types.uint32(), "coopvk_lock");
    }
    return entry->second;
}

// The function of the only entry point; nullptr if it has no body.
Function* entryFunction(const Module& module) {
    const InstructionList& entries = module.section(Section::kEntryPoints);
    if (entries.size() != 1) return nullptr;
    const auto found = std::ranges::find(module.functions(), entries[0]->word(1),
                                         [](const auto& function) { return function->id(); });
    const bool hasBody = found != module.functions().end() && !(*found)->blocks.empty();
    return hasBody ? found->get() : nullptr;
}

}  // namespace

Accumulator::Accumulator(VectorFunction& function, VectorMemory& memory, const Number& number)
    : VectorCode(function), memory_(memory), number_(number) {
    const bool shared = memory.storage() == spv::StorageClass::Workgroup;
    const bool isFloatArray = number.bits == 32 && memory.isArrayOf(f32());
    const bool hasAdd =
        shared ? device().shaderSharedFloat32AtomicAdd : device().shaderBufferFloat32AtomicAdd;
    if (hasAdd && isFloatArray) {
        method_ = Method::kFloatAdd;
        f_.module().addCapability(spv::Capability::AtomicFloat32AddEXT);
        f_.module().addExtension("SPV_EXT_shader_atomic_float_add");
    } else if (memory.isArrayOf(u32())) {
        method_ = Method::kCompareExchange;
    } else if (isFloatArray) {
        method_ = Method::kExchange;
    } else if (shared) {
        method_ = Method::kLocked;
        memory.makeNonPrivate();  // the lock does not order private accesses
    }
}

void Accumulator::add(Id byte, std::span<const Id> values) {
    const Id index = over(byte, 4);
    switch (method_) {
        case Method::kFloatAdd:
            atomic(OpAtomicFAddEXT, memory_.wordPointer(f32(), index), {values[0]});
            return;
        case Method::kCompareExchange:
            return addByWord(memory_.wordPointer(u32(), index), values);
        case Method::kExchange:
            return addByExchange(memory_.wordPointer(f32(), index), values[0]);
        case Method::kLocked:
            return addLocked(byte, values);
        case Method::kNone:
            return;
    }
}

void Accumulator::addReduced(Id byte, std::span<const Id> values) {
    f_.module().addCapability(spv::Capability::GroupNonUniformArithmetic);
    const Id subgroup = emit_.scope(spv::Scope::Subgroup);
    std::vector<Id> sums;
    for (Id value : values) {
        sums.push_back(emit_.op(
            OpGroupNonUniformFAdd, f32(),
            {idOperand(subgroup), literal(spv::GroupOperation::Reduce), idOperand(value)}));
    }
    const Id first = emit_.op(OpGroupNonUniformElect, types_.boolType(), {subgroup});
    f_.when(first, [&] { add(byte, sums); });
}

Id Accumulator::atomic(spv::Op opcode, Id pointer, std::initializer_list<Id> more) {
    const bool shared = memory_.storage() == spv::StorageClass::Workgroup;
    const Id among = emit_.scope(shared ? spv::Scope::Workgroup : widestScope(f_.module()));
    Operands operands = {idOperand(pointer), idOperand(among), idOperand(c(0))};
    append(operands, idOperands({more.begin(), more.size()}));
    return emit_.op(opcode, f_.module().pointee(pointer), std::move(operands));
}

// A word from memory after the addition of the values to its numbers.
Id Accumulator::sum(Id word, std::span<const Id> values) {
    Id held = unpackWord(emit_, number_, word)[0];
    if (number_.bits == 32) {
        return emit_.bitcast(u32(), emit_.op(OpFAdd, f32(), {held, values[0]}));
    }
    for (uint32_t v = 0; v < values.size(); ++v) {
        const Id value = emit_.op(OpFConvert, f16(), {values[v]});
        const Id old = emit_.extract(f16(), held, {v});
        const Id total = emit_.op(OpFAdd, f16(), {old, value});
        held = emit_.insert(emit_.typeOf(held), total, held, {v});
    }
    return emit_.bitcast(u32(), held);
}

void Accumulator::addByWord(Id pointer, std::span<const Id> values) {
    const Id expected = f_.variable(u32());
    f_.store(expected, atomic(OpAtomicLoad, pointer, {}));
    f_.loopUntil([&] {
        const Id old = f_.load(expected);
        const Id now = atomic(OpAtomicCompareExchange, pointer, {c(0), sum(old, values), old});
        f_.store(expected, now);
        return emit_.compare(OpIEqual, now, old);
    });
}

// Exchanges the number in memory with 0, then with the sum. If others added to the 0 in between,
// the second exchange returns that, and it is added next.
void Accumulator::addByExchange(Id pointer, Id value) {
    const Id rest = f_.variable(f32());
    const Id zero = types_.constantFloat(f32(), 0);
    f_.store(rest, value);
    f_.loopUntil([&] {
        const Id old = atomic(OpAtomicExchange, pointer, {zero});
        const Id total = emit_.op(OpFAdd, f32(), {old, f_.load(rest)});
        const Id added = atomic(OpAtomicExchange, pointer, {total});
        f_.store(rest, added);
        return emit_.compare(OpFOrdEqual, added, zero);
    });
}

void Accumulator::addLocked(Id byte, std::span<const Id> values) {
    using enum spv::MemorySemanticsMask;
    const Id lock = lockVariable(f_.context());
    const Id workgroup = emit_.scope(spv::Scope::Workgroup);
    const Id acquire = c(sharedSemantics(f_.module(), Acquire));
    const Id release = c(sharedSemantics(f_.module(), Release));
    f_.loopUntil([&] {
        const Id taken =
            emit_.op(OpAtomicCompareExchange, u32(), {lock, workgroup, acquire, c(0), c(1), c(0)});
        const Id isLocked = emit_.compare(OpIEqual, taken, c(0));
        f_.when(isLocked, [&] {
            auto line = memory_.line(byte);
            // Only a part of the word, if only its first number changes.
            const uint32_t bytes = number_.bytes() * static_cast<uint32_t>(values.size());
            const Id changed = sum(line.load(0, bytes)[0], values);
            line.store(0, bytes, std::span(&changed, 1));
            emit_.opVoid(OpAtomicStore, idOperands(std::vector{lock, workgroup, release, c(0)}));
        });
        return isLocked;
    });
}

void initialiseLock(VectorContext& context) {
    const auto lock = context.variables.find({kLock});
    if (lock == context.variables.end()) return;
    Function* entry = entryFunction(context.module);
    if (entry == nullptr) return;
    InstructionList code;
    Emitter emit(context.types, code);
    const Id workgroup = emit.scope(spv::Scope::Workgroup), zero = emit.constant(0);
    emit.opVoid(OpAtomicStore, idOperands(std::array{lock->second, workgroup, zero, zero}));
    sharedBarrier(emit, spv::Scope::Workgroup);

    InstructionList& body = entry->blocks.front()->body;
    const auto lastVariable = std::find_if(body.rbegin(), body.rend(),
                                           [](const auto& i) { return isVariable(i->opcode); });
    insertAt(body, static_cast<size_t>(lastVariable.base() - body.begin()), std::move(code));
}

}  // namespace coopvk::rewrite
