// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "ir/opcodes.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

bool roundsForStores(const Module& module, Id id) {
    const Instruction& conversion = module.def(id);
    const Instruction& type = module.def(conversion.type);
    const Instruction& scalar =
        type.opcode == spv::Op::OpTypeVector ? module.def(type.word(0)) : type;
    return conversion.opcode == spv::Op::OpFConvert && scalar.opcode == spv::Op::OpTypeFloat &&
           scalar.word(0) == 16;
}

bool isStoreToMemory(const Module& module, const Instruction& i, size_t operand) {
    using enum spv::StorageClass;
    return i.opcode == spv::Op::OpStore && operand == 1 &&
           isOneOf(module.storage(i.word(0)),
                   {StorageBuffer, PhysicalStorageBuffer, Uniform, PushConstant, Input, Output});
}

}  // namespace

void dropMisplacedRoundingModes(Module& module) {
    std::unordered_set<Id> rounded, misplaced;
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (!decorates(*i, spv::Decoration::FPRoundingMode)) continue;
        (roundsForStores(module, i->word(0)) ? rounded : misplaced).insert(i->word(0));
    }
    if (rounded.empty() && misplaced.empty()) return;
    module.visitBlocks([&](const Instruction& i) {
        // A second conversion does not make the first one's mode invalid for SPIRV-Tools.
        if (i.opcode == spv::Op::OpFConvert || isNonSemantic(module, i)) return;
        for (size_t o = 0; o < i.operands.size(); ++o) {
            const bool uses = i.operands[o].isId && rounded.contains(i.word(o));
            if (uses && !isStoreToMemory(module, i, o)) misplaced.insert(i.word(o));
        }
    });
    for (const Id id : misplaced) module.removeDecoration(id, spv::Decoration::FPRoundingMode);
}

namespace {

bool isSubgroupBarrier(const Module& module, const Instruction& i) {
    return i.opcode == spv::Op::OpControlBarrier &&
           module.constantValue(i.word(0)) == static_cast<uint64_t>(spv::Scope::Subgroup);
}

// OpMemoryBarrier must have an order (VUID-StandaloneSpirv-OpMemoryBarrier-04732).
bool ordersMemory(uint64_t semantics) {
    constexpr auto kOrders = static_cast<uint64_t>(
        spv::MemorySemanticsMask::Acquire | spv::MemorySemanticsMask::Release |
        spv::MemorySemanticsMask::AcquireRelease |
        spv::MemorySemanticsMask::SequentiallyConsistent);
    return (semantics & kOrders) != 0;
}

}  // namespace

void removeSubgroupBarriers(Module& module) {
    module.visitBlocks([&](Instruction& i) {
        const std::optional<uint64_t> semantics = module.constantValue(i.word(2));
        if (!isSubgroupBarrier(module, i) || !semantics) return;
        if (ordersMemory(*semantics)) {
            i.opcode = spv::Op::OpMemoryBarrier;
            i.operands.erase(i.operands.begin());
        } else {
            i.opcode = spv::Op::OpNop;
            i.operands.clear();
        }
    });
}

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
