// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/memory_operands.hpp"
#include "matrix/staging_arrays.hpp"
#include "native/context.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kHalfBytes = 2, kWordBytes = 4, kItemBytes = 16;

// The type of the new array's elements. An element of more than eight bytes takes several.
Id itemFor(TypeTable& types, uint32_t bytes) {
    const uint32_t itemBytes = std::min(bytes * 2, kItemBytes);
    if (itemBytes == kHalfBytes) return types.floatType(16);
    return types.vectorType(types.uint32(), itemBytes / kWordBytes);
}

}  // namespace

std::vector<SharedCandidate> sharedCandidates(HalvesContext& context) {
    const auto isWanted = [&](Id matrix) { return context.format(matrix) != 0; };
    std::vector<SharedCandidate> candidates;
    for (StagingArray& array : stagingArrays(context.types, Users(context.module), isWanted)) {
        const Id format = context.format(*array.matrices.begin());
        const auto isSame = [&](Id matrix) { return context.format(matrix) == format; };
        if (!std::ranges::all_of(array.matrices, isSame)) continue;
        SharedCandidate one{array.variable, array.length, array.bytes * array.length};
        one.halves = {format, array.element, itemFor(context.types, array.bytes)};
        one.halves.items = array.bytes * 2 > kItemBytes ? array.bytes * 2 / kItemBytes : 1;
        one.pointers = std::move(array.pointers);
        candidates.push_back(std::move(one));
    }
    return candidates;
}

void holdSharedVariable(HalvesContext& context, const SharedCandidate& candidate) {
    const SharedHalves& halves = candidate.halves;
    const auto length = static_cast<uint32_t>(candidate.length * halves.items);
    const Id type = context.types.arrayType(halves.item, length);
    context.module.edit(candidate.variable)->type =
        context.types.pointerType(spv::StorageClass::Workgroup, type);
}

bool holdSharedPointer(HalvesFunction& f, Instruction& chain) {
    const auto found = f.context.sharedHalves.find(chain.result);
    if (found == f.context.sharedHalves.end()) return false;
    const SharedHalves& halves = found->second;
    chain.type = f.context.types.pointerType(spv::StorageClass::Workgroup, halves.item);
    if (halves.items > 1) {
        Emitter& emit = f.emit();
        chain.operands[1] = idOperand(emit.times(emit.toU32(chain.word(1)), halves.items));
    }
    return false;
}

bool holdSharedStore(HalvesFunction& f, const Instruction& store) {
    const auto found = f.context.sharedHalves.find(store.word(0));
    if (found == f.context.sharedHalves.end()) return false;
    const SharedHalves& halves = found->second;
    Emitter& emit = f.emit();
    TypeTable& types = emit.types();
    const Id half = types.floatType(16), scalar = types.scalarOf(halves.item);
    const Id values[] = {store.word(1)};
    const std::vector<Slot> elements =
        unpackComponents(emit, *numberOf(types, halves.format), slotsOf(emit, values),
                         types.scalarOf(halves.element), half);
    const std::vector<Slot> parts = regroup(emit, elements, half, scalar);
    const size_t perItem = parts.size() / halves.items;
    const Operands memory = MemoryOperands(operandsBehind(store, 2)).withAlignment(0).forStore(0);
    const Instruction chain = f.context.module.def(store.word(0));
    for (uint32_t i = 0; i < halves.items; ++i) {
        const Id pointer =
            i == 0 ? chain.result
                   : emit.chain(halves.item, {chain.word(0), emit.plus(chain.word(1), i)});
        emit.store(pointer, gather(emit, scalar, std::span(parts).subspan(i * perItem, perItem)),
                   memory);
    }
    return true;
}

bool holdSharedLoad(HalvesFunction& f, Instruction& load) {
    const auto found = f.context.sharedHalves.find(load.word(0));
    if (found == f.context.sharedHalves.end()) return false;
    Emitter& emit = f.emit();
    if (found->second.items > 1) {
        load.operands[2] = idOperand(emit.times(emit.toU32(load.word(2)), found->second.items));
    }
    const Operands memory = MemoryOperands(operandsBehind(load, 3)).withAlignment(0).forLoad(0);
    load.operands.resize(3);
    append(load.operands, memory);
    return true;
}

}  // namespace coopvk::rewrite
