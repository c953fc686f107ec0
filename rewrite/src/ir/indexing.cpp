// SPDX-License-Identifier: Apache-2.0
#include "ir/indexing.hpp"

#include <algorithm>

namespace coopvk::rewrite {

namespace {

constexpr auto kMode = spv::ExecutionMode::Shader64BitIndexingEXT;

bool hasMode(const Module& module) {
    return std::ranges::any_of(module.section(Section::kExecutionModes), [](const auto& i) {
        return i->opcode == spv::Op::OpExecutionMode && i->word(1) == static_cast<uint32_t>(kMode);
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
                      makeInstruction(spv::Op::OpExecutionMode, 0, 0,
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

}  // namespace coopvk::rewrite
