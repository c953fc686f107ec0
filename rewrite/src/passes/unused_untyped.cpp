// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// All ids with uses other than names, decorations and interfaces of entry points.
std::unordered_set<Id> usedIds(const Module& module) {
    std::unordered_set<Id> used;
    const auto count = [&](const Instruction& i) {
        if (i.type != 0) used.insert(i.type);
        for (const Operand& operand : i.operands) {
            if (operand.isId) used.insert(operand.word);
        }
    };
    for (const InstructionPtr& i : module.section(Section::kGlobals)) count(*i);
    for (const auto& function : module.functions()) {
        count(*function->definition);
        for (const InstructionPtr& i : function->parameters) count(*i);
    }
    module.visitBlocks(count);
    return used;
}

// Drops unused instructions on untyped pointers. Returns their ids.
std::unordered_set<Id> takeUnused(Module& module) {
    const std::unordered_set<Id> used = usedIds(module);
    const auto isUnused = [&](const Instruction& i) {
        const bool pure = i.opcode != spv::Op::OpFunctionParameter &&
                          i.opcode != spv::Op::OpFunctionCall && i.opcode != spv::Op::OpLoad;
        const bool untyped = i.opcode == spv::Op::OpTypeUntypedPointerKHR ||
                             module.def(i.type).opcode == spv::Op::OpTypeUntypedPointerKHR;
        return i.result != 0 && !used.contains(i.result) && pure && untyped;
    };
    std::unordered_set<Id> gone;
    for (const auto& function : module.functions()) {
        for (const auto& block : function->blocks) {
            gone.merge(module.takeOut(block->body, isUnused));
        }
    }
    gone.merge(module.takeOut(module.section(Section::kGlobals), isUnused));
    return gone;
}

}  // namespace

void dropUnusedUntypedPointers(Module& module) {
    if (!module.hasCapability(spv::Capability::UntypedPointersKHR)) return;
    while (true) {
        const std::unordered_set<Id> gone = takeUnused(module);
        if (gone.empty()) break;
        module.forget(gone);
    }
    const auto isUntyped = [](const InstructionPtr& i) {
        return i->opcode == spv::Op::OpTypeUntypedPointerKHR;
    };
    if (std::ranges::any_of(module.section(Section::kGlobals), isUntyped)) return;
    module.removeCapability(spv::Capability::UntypedPointersKHR);
    module.removeExtension("SPV_KHR_untyped_pointers");
}

}  // namespace coopvk::rewrite
