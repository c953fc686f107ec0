// SPDX-License-Identifier: Apache-2.0
//
// What follows from lowering: barriers, declarations and interfaces.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "ir/calls.hpp"
#include "ir/effects.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "optimise/dead_code.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

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
        if (!isSubgroupBarrier(module, i)) return;
        const std::optional<uint64_t> semantics = module.constantValue(i.word(2));
        if (!semantics) return;
        if (ordersMemory(*semantics)) {
            i.opcode = OpMemoryBarrier;
            i.operands.erase(i.operands.begin());
        } else {
            i.opcode = OpNop;
            i.operands.clear();
        }
    });
}

namespace {

bool roundsForStores(const Module& module, Id id) {
    const Instruction& conversion = module.def(id);
    const Instruction& type = module.def(conversion.type);
    const Instruction& scalar = type.opcode == OpTypeVector ? module.def(type.word(0)) : type;
    return conversion.opcode == OpFConvert && scalar.opcode == OpTypeFloat && scalar.word(0) == 16;
}

bool isStoreToMemory(const Module& module, const Instruction& i, size_t operand) {
    using enum spv::StorageClass;
    return i.opcode == OpStore && operand == 1 &&
           isOneOf(module.storage(i.word(0)),
                   {StorageBuffer, PhysicalStorageBuffer, Uniform, PushConstant, Input, Output});
}

// Removes FPRoundingMode from all but conversions whose only uses are stores of 16-bit floats to
// memory that several invocations see (SPIR-V specification, "Validation Rules for Shader
// Capabilities"). The results of lowered conversions become parts of composites.
void dropMisplacedRoundingModes(Module& module) {
    std::unordered_set<Id> rounded, misplaced;
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (!decorates(*i, spv::Decoration::FPRoundingMode)) continue;
        (roundsForStores(module, i->word(0)) ? rounded : misplaced).insert(i->word(0));
    }
    if (rounded.empty() && misplaced.empty()) return;
    const Users users(module);
    for (const Id id : rounded) {
        const bool isPlaced = users.all(id, [&](const Usage& use) {
            // A second conversion does not make the first one's mode invalid for SPIRV-Tools.
            return use.user->opcode == OpFConvert || isNonSemantic(module, *use.user) ||
                   isStoreToMemory(module, *use.user, use.operand);
        });
        if (!isPlaced) misplaced.insert(id);
    }
    for (const Id id : misplaced) module.removeDecoration(id, spv::Decoration::FPRoundingMode);
}

// Drops untyped pointers and variables that only lowered instructions used, so that the driver need
// not support them.
void dropUnusedUntypedPointers(Module& module) {
    if (!module.hasCapability(spv::Capability::UntypedPointersKHR)) return;
    removeDeadDeclarations(module, [&](const Instruction& i) {
        return i.opcode == OpTypeUntypedPointerKHR ||
               (module.def(i.type).opcode == OpTypeUntypedPointerKHR &&
                mayVanish(effectsOf(module, i)));
    });
    const auto isUntyped = [](const InstructionPtr& i) {
        return i->opcode == OpTypeUntypedPointerKHR;
    };
    if (std::ranges::any_of(module.section(Section::kGlobals), isUntyped)) return;
    module.removeCapability(spv::Capability::UntypedPointersKHR);
    module.removeExtension("SPV_KHR_untyped_pointers");
}

// Lowering uses operations on subgroups, which modules for Vulkan 1.0 cannot have.
void declareVersion(Module& module) {
    constexpr uint32_t kOfSubgroups = 0x00010300;
    const auto isOfSubgroups = [](const InstructionPtr& i) {
        return i->word(0) >= static_cast<uint32_t>(spv::Capability::GroupNonUniform) &&
               i->word(0) <= static_cast<uint32_t>(spv::Capability::GroupNonUniformQuad);
    };
    if (std::ranges::any_of(module.section(Section::kCapabilities), isOfSubgroups))
        module.requireVersion(kOfSubgroups);
}

bool isLogicalPointer(const Module& module, Id type) {
    using enum spv::StorageClass;
    return isPointerType(module.def(type).opcode) &&
           isOneOf(static_cast<spv::StorageClass>(module.def(type).word(0)),
                   {StorageBuffer, Workgroup});
}

// Whether only variable pointers allow the instruction (SPIR-V specification, 2.16.1, logical
// addressing): it makes a pointer in another way than from a variable, compares pointers, passes
// a part of a variable to a function, or is a type that contains pointers.
bool needsVariablePointers(const Module& module, const Instruction& i) {
    const auto isPointer = [&](Id id) { return isLogicalPointer(module, module.def(id).type); };
    switch (i.opcode) {
        case OpVariable:
        case OpUntypedVariableKHR:
        case OpFunctionParameter:
        case OpCopyObject:
            return false;
        case OpPtrEqual:
        case OpPtrNotEqual:
        case OpPtrDiff:
            return true;
        case OpTypePointer:
            return isLogicalPointer(module, i.word(1));
        case OpTypeArray:
        case OpTypeStruct:
            return std::ranges::any_of(i.operands, [&](const Operand& part) {
                return part.isId && isLogicalPointer(module, part.word);
            });
        case OpFunctionCall:  // variables of workgroups are passed without, whole
            return isLogicalPointer(module, i.type) ||
                   std::ranges::any_of(i.operands, [&](const Operand& argument) {
                       const spv::Op made = module.def(argument.word).opcode;
                       const bool isWhole = isVariable(made) || made == OpFunctionParameter;
                       return isPointer(argument.word) &&
                              !(isWhole &&
                                module.storage(argument.word) == spv::StorageClass::Workgroup);
                   });
        default:
            return isLogicalPointer(module, i.type) && !isAccessChain(i.opcode) &&
                   !isUntypedChain(i.opcode);
    }
}

// Where these capabilities are declared, NVIDIA's driver (580.159.04) loads wrong values from some
// shared variables.
void dropUnusedVariablePointers(Module& module) {
    using enum spv::Capability;
    if (!module.hasCapability(VariablePointers) &&
        !module.hasCapability(VariablePointersStorageBuffer)) {
        return;
    }
    bool needed = false;
    forEachInstruction(module, [&](const Instruction* i) {
        needed = needed || needsVariablePointers(module, *i);
    });
    if (needed) return;
    module.removeCapability(VariablePointers);
    module.removeCapability(VariablePointersStorageBuffer);
    module.removeExtension("SPV_KHR_variable_pointers");
}

// The number of an entry point's first interface operand, after the words of its name.
size_t firstInterface(const Instruction& entryPoint) {
    size_t i = 2;
    while (i < entryPoint.operands.size() && !entryPoint.operands[i].isId) ++i;
    return i;
}

// Interfaces list Input variables; from SPIR-V 1.4 on, all global variables that are used.
bool belongsToInterface(const Module& module, Id id) {
    const Instruction& variable = module.def(id);
    if (variable.opcode != OpVariable) return false;
    const spv::StorageClass storage = storageOf(variable);
    if (module.version() < 0x00010400) return storage == spv::StorageClass::Input;
    return storage != spv::StorageClass::Function;
}

// Adds variables that lowering made to the interface of the entry point: it reaches all functions
// (optimise()).
void completeInterfaces(Module& module) {
    for (const InstructionPtr& entry : module.section(Section::kEntryPoints)) {
        std::unordered_set<Id> listed;
        for (size_t i = firstInterface(*entry); i < entry->operands.size(); ++i) {
            listed.insert(entry->word(i));
        }
        std::set<Id> missing;  // sorted: equal input must give equal output
        module.visitBlocks([&](const Instruction& i) {
            for (const Operand& operand : i.operands) {
                if (operand.isId && belongsToInterface(module, operand.word) &&
                    !listed.contains(operand.word)) {
                    missing.insert(operand.word);
                }
            }
        });
        for (const Id variable : missing) entry->operands.push_back(idOperand(variable));
    }
}

}  // namespace

void completeDeclarations(Module& module) {
    restoreAliasing(module);
    dropUnusedUntypedPointers(module);
    dropUnusedVariablePointers(module);
    module.dropDanglingNonSemantic();
    completeInterfaces(module);
    dropMisplacedRoundingModes(module);
    declareVersion(module);
}

}  // namespace coopvk::rewrite
