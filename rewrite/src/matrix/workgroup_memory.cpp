// SPDX-License-Identifier: Apache-2.0
#include "matrix/workgroup_memory.hpp"

#include <algorithm>

#include "coopvk/advertised.hpp"
#include "ir/memory_model.hpp"
#include "lowering/number_memory.hpp"
#include "lowering/shared_memory.hpp"

namespace coopvk::rewrite {

namespace {

// The most of what is reserved that has room: half of it, a quarter, and so on.
uint32_t wordsWithRoom(const MatrixContext& context) {
    const DeviceTraits& device = context.target.device;
    for (uint32_t words = reservedSharedMemory(device) / 4; words != 0; words /= 2) {
        if (sharedMemoryHasRoom(context.module, uint64_t{words} * 4, device)) return words;
    }
    return 0;
}

}  // namespace

uint32_t workgroupWords(MatrixContext& context, const Instruction& at, uint32_t least) {
    SharedWords& shared = context.shared;
    if (!shared.available) shared.available = wordsWithRoom(context);
    if (*shared.available >= least) return *shared.available;
    context.fail(ErrorCode::kUnsupported, at,
                 std::format("a matrix of scope Workgroup needs {} bytes of shared memory, and the "
                             "module leaves {} "
                             "(cooperativeMatrixWorkgroupScopeReservedSharedMemory)",
                             uint64_t{least} * 4, uint64_t{*shared.available} * 4));
    return 0;
}

WorkgroupMemory::WorkgroupMemory(MatrixContext& context, Emitter& emit)
    : context_(context), emit_(emit) {
    if (context.shared.variable == 0) context.shared.variable = context.module.takeId();
}

void WorkgroupMemory::use(uint32_t words) {
    context_.shared.used = std::max(context_.shared.used, words);
}

Id WorkgroupMemory::load(Id index) {
    return emit_.load(context_.types.uint32(), pointer(index), nonPrivateAccess(context_.module));
}

void WorkgroupMemory::store(Id index, Id word) {
    emit_.store(pointer(index), word, nonPrivateAccess(context_.module));
}

void WorkgroupMemory::barrier() { sharedBarrier(emit_, spv::Scope::Workgroup); }

Id WorkgroupMemory::quad() { return context_.types.vectorType(context_.types.uint32(), 4); }

Id WorkgroupMemory::pointer(Id index) {
    TypeTable& types = context_.types;
    const Id u32 = types.uint32();
    const Id four = types.constantU32(4);
    return emit_.op(
        spv::Op::OpAccessChain, types.pointerType(spv::StorageClass::Workgroup, u32),
        {context_.shared.variable, emit_.divInt(u32, index, four), emit_.modInt(u32, index, four)});
}

Id WorkgroupMemory::pointerToFour(Id index) {
    TypeTable& types = context_.types;
    const Id place = emit_.divInt(types.uint32(), index, types.constantU32(4));
    return emit_.op(spv::Op::OpAccessChain, types.pointerType(spv::StorageClass::Workgroup, quad()),
                    {context_.shared.variable, place});
}

std::vector<Id> WorkgroupMemory::loadRun(Id index, uint32_t count) {
    TypeTable& types = context_.types;
    const Id u32 = types.uint32();
    std::vector<Id> words;
    if (count != 4) {
        for (uint32_t i = 0; i < count; ++i) {
            words.push_back(load(emit_.addInt(u32, index, types.constantU32(i))));
        }
        return words;
    }
    const Id four = emit_.load(quad(), pointerToFour(index), nonPrivateAccess(context_.module));
    for (uint32_t i = 0; i < 4; ++i) words.push_back(emit_.extract(u32, four, {i}));
    return words;
}

void WorkgroupMemory::storeRun(Id index, std::span<const Id> words) {
    if (words.size() == 4) {
        emit_.store(pointerToFour(index), emit_.construct(quad(), words),
                    nonPrivateAccess(context_.module));
        return;
    }
    for (uint32_t i = 0; i < words.size(); ++i) store(emit_.plus(index, i), words[i]);
}

void declareWorkgroupMemory(MatrixContext& context) {
    const SharedWords& shared = context.shared;
    if (shared.variable == 0) return;
    TypeTable& types = context.types;
    const Id array =
        types.arrayType(types.vectorType(types.uint32(), 4), (std::max(1u, shared.used) + 3) / 4);
    const Id pointer = types.pointerType(spv::StorageClass::Workgroup, array);
    context.module.append(Section::kGlobals,
                          makeInstruction(spv::Op::OpVariable, pointer, shared.variable,
                                          {literal(spv::StorageClass::Workgroup)}));
    context.module.addName(shared.variable, "coopvk_matrices");
}

Id wordOf(Emitter& emit, const MatrixType& matrix, const Slot& component) {
    return componentBits(emit, *matrix.number, component, matrix.component);
}

Id componentOf(Emitter& emit, const MatrixType& matrix, Id word) {
    const Slot one[] = {{word, 0}};
    const std::vector<Slot> parts = regroup(emit, one, emit.types().uint32(), matrix.component);
    return scalarOf(emit, matrix.component, parts[0]);
}

}  // namespace coopvk::rewrite
