// SPDX-License-Identifier: Apache-2.0
#include "ir/memory_model.hpp"

#include <algorithm>

namespace coopvk::rewrite {

bool hasVulkanMemoryModel(const Module& module) {
    return std::ranges::any_of(module.section(Section::kMemoryModel), [](const InstructionPtr& i) {
        return i->opcode == spv::Op::OpMemoryModel &&
               i->word(1) == static_cast<uint32_t>(spv::MemoryModel::Vulkan);
    });
}

Operands nonPrivateAccess(const Module& module) {
    if (!hasVulkanMemoryModel(module)) return {};
    return {literal(spv::MemoryAccessMask::NonPrivatePointer)};
}

uint32_t sharedSemantics(const Module& module, spv::MemorySemanticsMask order) {
    using enum spv::MemorySemanticsMask;
    auto mask = static_cast<uint32_t>(order) | static_cast<uint32_t>(WorkgroupMemory);
    if (!hasVulkanMemoryModel(module)) return mask;
    if (order != Acquire) mask |= static_cast<uint32_t>(MakeAvailable);
    if (order != Release) mask |= static_cast<uint32_t>(MakeVisible);
    return mask;
}

spv::Scope widestScope(const Module& module) {
    const bool device = !hasVulkanMemoryModel(module) ||
                        module.hasCapability(spv::Capability::VulkanMemoryModelDeviceScope);
    return device ? spv::Scope::Device : spv::Scope::QueueFamily;
}

}  // namespace coopvk::rewrite
