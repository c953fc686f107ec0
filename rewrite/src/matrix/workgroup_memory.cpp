// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>

#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "lowering/number.hpp"
#include "matrix/exchange.hpp"

namespace coopvk::rewrite {

namespace {

// All, a half, a quarter, and so on of the reserved words: the most that the module leaves.
uint32_t wordsLeft(const MatrixContext& context) {
    const DevicePlan& device = context.target.device;
    for (uint32_t words = device.reservedSharedMemory / 4; words != 0; words /= 2) {
        if (sharedMemoryHasRoom(context.module, uint64_t{words} * 4, device)) return words;
    }
    return 0;
}

}  // namespace

uint32_t workgroupWords(MatrixContext& context, const Instruction& at, uint32_t least) {
    SharedWords& shared = context.shared;
    if (!shared.available) shared.available = wordsLeft(context);
    if (*shared.available >= least) return *shared.available;
    context.unsupported(
        at, std::format("a matrix of scope Workgroup needs {} bytes of shared memory, and the "
                        "module leaves {} "
                        "(cooperativeMatrixWorkgroupScopeReservedSharedMemory)",
                        uint64_t{least} * 4, uint64_t{*shared.available} * 4));
    return 0;
}

uint32_t deepSliceWords(const MatrixContext& context) {
    constexpr uint32_t kMostBytes = 48 * 1024, kStep = 1024;
    const DevicePlan& device = context.target.device;
    const uint32_t most = std::min(device.maxComputeSharedMemorySize, kMostBytes) / kStep;
    const auto steps = std::views::iota(1u, most + 1);
    const auto tooMany = std::ranges::partition_point(steps, [&](uint32_t count) {
        return sharedMemoryHasRoom(context.module, uint64_t{count} * kStep, device);
    });
    return static_cast<uint32_t>(tooMany - steps.begin()) * kStep / 4;
}

uint64_t workgroupMemoryBytes(const MatrixContext& context) {
    const bool any = std::ranges::any_of(context.matrices, [](const auto& matrix) {
        return matrix.second.fragment.scope == LaneScope::kWorkgroup;
    });
    if (!any) return 0;
    return std::max(context.target.device.reservedSharedMemory, context.shared.used * 4);
}

std::optional<SubgroupArea> subgroupArea(MatrixContext& context, std::string_view name, Id element,
                                         uint64_t elements) {
    const auto key = std::tuple(name, element, static_cast<uint32_t>(elements));
    const auto found = context.areas.find(key);
    if (found != context.areas.end()) return found->second;
    const uint32_t subgroups = subgroupsOf(context.module, context.target.subgroupSize);
    const uint64_t bytes = subgroups * elements * bytesOf(context.types, element);
    if (bytes == 0 || !context.module.hasCapability(spv::Capability::VulkanMemoryModel) ||
        !sharedMemoryHasRoom(context.module, bytes + workgroupMemoryBytes(context),
                             context.target.device)) {
        return std::nullopt;
    }
    return context.areas[key] =
               declareArea(context.types, name, element, std::get<2>(key), subgroups);
}

std::optional<SubgroupArea> LaneItems::area(MatrixContext& context) {
    const Id words = context.types.vectorType(context.types.uint32(), kWords);
    return subgroupArea(context, "coopvk_lanes", words, context.target.subgroupSize);
}

WorkgroupMemory::WorkgroupMemory(MatrixContext& context, Emitter& emit)
    : context_(context), emit_(emit) {
    if (!context.shared.variable) context.shared.variable = context.module.takeId();
}

void WorkgroupMemory::use(uint32_t words) {
    context_.shared.used = std::max(context_.shared.used, words);
}

Id WorkgroupMemory::load(Id first, uint32_t offset) { return loadWords(first, offset, 1)[0]; }

void WorkgroupMemory::store(Id first, uint32_t offset, Id word) {
    const Id words[] = {word};
    storeWords(first, offset, words);
}

void WorkgroupMemory::barrier() { sharedBarrier(emit_, spv::Scope::Workgroup); }

Id WorkgroupMemory::fourWords() { return context_.types.vectorType(context_.types.uint32(), 4); }

WorkgroupMemory::WordIndex WorkgroupMemory::indexOf(Id first, uint32_t offset) {
    const IndexParts parts = separateConstant(emit_, first);
    offset += parts.constant;
    if (const std::optional<Id> vector = exactQuotient(emit_, parts.variable, 4)) {
        return {emit_.plus(*vector, offset / 4), emit_.constant(offset % 4)};
    }
    const Id word = emit_.plus(parts.variable, offset % 4);
    return {emit_.plus(emit_.over(word, 4), offset / 4), emit_.modulo(word, 4)};
}

// The variable is declared later, so Emitter::chain does not know its storage class.
Id WorkgroupMemory::pointer(const WordIndex& at, uint32_t following) {
    TypeTable& types = context_.types;
    return emit_.op(OpAccessChain, types.pointerType(spv::StorageClass::Workgroup, types.uint32()),
                    {*context_.shared.variable, at.vector, emit_.plus(at.component, following)});
}

Id WorkgroupMemory::pointerToVector(Id vector) {
    return emit_.op(OpAccessChain,
                    context_.types.pointerType(spv::StorageClass::Workgroup, fourWords()),
                    {*context_.shared.variable, vector});
}

std::vector<Id> WorkgroupMemory::loadWords(Id first, uint32_t offset, uint32_t count) {
    const Operands access = nonPrivateAccess(context_.module);
    const WordIndex at = indexOf(first, offset);
    if (count == 4) {
        return emit_.parts(emit_.load(fourWords(), pointerToVector(at.vector), access));
    }
    std::vector<Id> words;
    for (uint32_t i = 0; i < count; ++i) {
        words.push_back(emit_.load(context_.types.uint32(), pointer(at, i), access));
    }
    return words;
}

void WorkgroupMemory::storeWords(Id first, uint32_t offset, std::span<const Id> words) {
    const WordIndex at = indexOf(first, offset);
    storeInVector(at.vector, at.component, words);
}

void WorkgroupMemory::storeInVector(Id vector, Id component, std::span<const Id> words) {
    const Operands access = nonPrivateAccess(context_.module);
    if (words.size() == 4) {
        emit_.store(pointerToVector(vector), emit_.construct(fourWords(), words), access);
        return;
    }
    for (uint32_t i = 0; i < words.size(); ++i) {
        emit_.store(pointer({vector, component}, i), words[i], access);
    }
}

void declareWorkgroupMemory(MatrixContext& context) {
    const SharedWords& shared = context.shared;
    if (!shared.variable) return;
    TypeTable& types = context.types;
    const Id array =
        types.arrayType(types.vectorType(types.uint32(), 4), (std::max(1u, shared.used) + 3) / 4);
    const Id pointer = types.pointerType(spv::StorageClass::Workgroup, array);
    context.module.append(Section::kGlobals,
                          makeInstruction(OpVariable, pointer, *shared.variable,
                                          {literal(spv::StorageClass::Workgroup)}));
    context.module.addName(*shared.variable, "coopvk_matrices");
}

Id wordOf(Emitter& emit, const MatrixType& matrix, const Slot& component) {
    const Id u32 = emit.types().uint32();
    return scalarOf(emit, u32, regroupFilled(emit, {&component, 1}, matrix.component, u32)[0]);
}

Id componentOf(Emitter& emit, const MatrixType& matrix, Id word) {
    const Slot one[] = {{word, 0}};
    const std::vector<Slot> parts = regroup(emit, one, emit.types().uint32(), matrix.component);
    return scalarOf(emit, matrix.component, parts[0]);
}

}  // namespace coopvk::rewrite
