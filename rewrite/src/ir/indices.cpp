// SPDX-License-Identifier: Apache-2.0
#include "ir/indices.hpp"

#include <algorithm>

namespace coopvk::rewrite {

namespace {

constexpr auto kMode = spv::ExecutionMode::Shader64BitIndexingEXT;

bool hasMode(const Module& module) {
    return std::ranges::any_of(module.section(Section::kExecutionModes), [](const auto& i) {
        return i->opcode == OpExecutionMode && i->word(1) == static_cast<uint32_t>(kMode);
    });
}

}  // namespace

void declareWideIndices(Module& module, bool isRequested, bool hasInt64) {
    const InstructionList& entryPoints = module.section(Section::kEntryPoints);
    if (!hasMode(module)) {
        if (!isRequested || entryPoints.empty()) return;
        module.addCapability(spv::Capability::Shader64BitIndexingEXT);
        module.addExtension("SPV_EXT_shader_64bit_indexing");
        module.append(Section::kExecutionModes,
                      makeInstruction(OpExecutionMode, 0, 0,
                                      {idOperand(entryPoints.front()->word(1)), literal(kMode)}));
    }
    if (hasInt64) module.addCapability(spv::Capability::Int64);
}

Id indexType(TypeTable& types, spv::StorageClass storage) {
    const Module& module = types.module();
    const bool isWide = storage != spv::StorageClass::Workgroup &&
                        (storage == spv::StorageClass::PhysicalStorageBuffer || hasMode(module)) &&
                        module.hasCapability(spv::Capability::Int64);
    return types.intType(isWide ? 64 : 32, false);
}

namespace {

constexpr uint32_t kMaxSums = 4;  // of nested additions and multiplications

IndexParts separate(Emitter& emit, Id value, uint32_t depth) {
    const Module& module = emit.types().module();
    const auto constantOf = [&](Id id) -> std::optional<uint32_t> {
        const std::optional<uint64_t> found = module.constantValue(id);
        if (!found) return std::nullopt;
        return static_cast<uint32_t>(*found);
    };
    if (const std::optional<uint32_t> whole = constantOf(value)) return {emit.constant(0), *whole};
    const Instruction& i = module.def(value);
    if (depth == 0 || i.operands.size() != 2 || i.type != emit.types().uint32()) return {value, 0};
    const Id left = i.word(0), right = i.word(1);
    if (i.opcode == OpIAdd) {
        const IndexParts a = separate(emit, left, depth - 1), b = separate(emit, right, depth - 1);
        if (a.constant == 0 && b.constant == 0) return {value, 0};
        return {emit.addU32(a.variable, b.variable), a.constant + b.constant};
    }
    const std::optional<uint32_t> factor = constantOf(right);
    if (i.opcode == OpIMul && factor) {
        const IndexParts a = separate(emit, left, depth - 1);
        if (a.constant == 0) return {value, 0};
        return {emit.times(a.variable, *factor), a.constant * *factor};
    }
    return {value, 0};
}

}  // namespace

IndexParts separateConstant(Emitter& emit, Id value) { return separate(emit, value, kMaxSums); }

}  // namespace coopvk::rewrite
