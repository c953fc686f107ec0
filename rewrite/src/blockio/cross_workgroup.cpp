// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <unordered_set>

#include "blockio/lower.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kCrossWorkgroup = static_cast<uint32_t>(spv::StorageClass::CrossWorkgroup);
constexpr auto kPhysical = static_cast<uint32_t>(spv::StorageClass::PhysicalStorageBuffer);

// Bytes that a value in memory is aligned to at least: those of its widest scalar.
uint32_t alignment(const Module& module, Id type) {
    const Instruction& def = module.def(type);
    switch (def.opcode) {
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat:
            return std::max(def.word(0) / 8, 1u);
        case spv::Op::OpTypePointer:
            return 8;
        case spv::Op::OpTypeStruct: {
            uint32_t widest = 1;
            for (const Operand& member : def.operands) {
                widest = std::max(widest, alignment(module, member.word));
            }
            return widest;
        }
        default:
            return def.operands.empty() ? 1 : alignment(module, def.word(0));
    }
}

constexpr auto kAligned = static_cast<uint32_t>(spv::MemoryAccessMask::Aligned);

// Adds an alignment to the memory operands that start at operand `mask`, where they have none.
void alignOperands(Instruction& i, size_t mask, uint32_t bytes) {
    if ((i.word(mask) & kAligned) != 0) return;
    if (i.operands.size() <= mask) i.operands.push_back(literal(0u));
    i.operands[mask].word |= kAligned;
    // The alignment comes first behind the mask, or behind the bits below it (Volatile has none).
    i.operands.insert(i.operands.begin() + static_cast<std::ptrdiff_t>(mask) + 1, literal(bytes));
}

// One set of memory operands is for both pointers, two are for the target and the source.
void alignCopy(const Module& module, const std::unordered_set<Id>& adopted, Instruction& i) {
    uint32_t bytes = 0;
    for (const size_t pointer : {0, 1}) {
        const Instruction& type = module.def(module.def(i.word(pointer)).type);
        if (!adopted.contains(type.result)) continue;
        // What an untyped pointer points to, the other one tells.
        const Instruction& other = module.def(module.def(i.word(1 - pointer)).type);
        const Instruction& typed = type.opcode == spv::Op::OpTypePointer ? type : other;
        bytes = alignment(module, typed.word(1));
    }
    if (bytes == 0) return;
    alignOperands(i, 2, bytes);
    constexpr auto kWithOperand =
        kAligned | static_cast<uint32_t>(spv::MemoryAccessMask::MakePointerAvailable) |
        static_cast<uint32_t>(spv::MemoryAccessMask::MakePointerVisible);
    const size_t second = 3 + static_cast<size_t>(std::popcount(i.word(2) & kWithOperand));
    if (i.operands.size() > second) alignOperands(i, second, bytes);
}

// Every access through a physical pointer must say how it is aligned.
void alignAccess(const Module& module, const std::unordered_set<Id>& adopted, Instruction& i) {
    if (i.opcode == spv::Op::OpCopyMemory) return alignCopy(module, adopted, i);
    if (i.opcode != spv::Op::OpLoad && i.opcode != spv::Op::OpStore) return;
    const size_t mask = i.opcode == spv::Op::OpLoad ? 1 : 2;
    const Instruction& type = module.def(module.def(i.word(0)).type);
    if (!adopted.contains(type.result)) return;
    const Id accessed = i.opcode == spv::Op::OpLoad ? i.type : module.def(i.word(1)).type;
    alignOperands(i, mask, alignment(module, accessed));
}

// Steps over whole pointees: only one instruction of the two is for such pointers, and the
// pointer's type must say how far a step is.
void adoptSteps(Module& module, const std::unordered_set<Id>& adopted, Instruction& i) {
    const bool inBounds = i.opcode == spv::Op::OpInBoundsPtrAccessChain;
    if (!inBounds && i.opcode != spv::Op::OpPtrAccessChain) return;
    const Instruction& type = module.def(module.def(i.word(0)).type);
    if (!adopted.contains(type.result)) return;
    i.opcode = spv::Op::OpPtrAccessChain;
    if (module.decoration(type.result, spv::Decoration::ArrayStride)) return;
    const Instruction& pointee = module.def(type.word(1));
    const bool vector = pointee.opcode == spv::Op::OpTypeVector;
    const bool number =
        pointee.opcode == spv::Op::OpTypeInt || pointee.opcode == spv::Op::OpTypeFloat;
    if (!vector && !number) return;  // how large others are depends on their layout
    // Three components take the place of four, as in OpenCL, which this storage class is of.
    const uint32_t components = vector ? std::bit_ceil(pointee.word(1)) : 1;
    const uint32_t bytes = alignment(module, type.word(1)) * components;
    module.append(Section::kAnnotations,
                  makeInstruction(spv::Op::OpDecorate, 0, 0,
                                  {idOperand(type.result), literal(spv::Decoration::ArrayStride),
                                   literal(bytes)}));
}

}  // namespace

void adoptCrossWorkgroupPointers(Module& module) {
    std::unordered_set<Id> adopted;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const bool forward = i->opcode == spv::Op::OpTypeForwardPointer;
        const bool pointer =
            i->opcode == spv::Op::OpTypePointer || i->opcode == spv::Op::OpTypeUntypedPointerKHR;
        if (!forward && !pointer) continue;
        Operand& storage = i->operands[forward ? 1 : 0];
        if (storage.word != kCrossWorkgroup) continue;
        storage.word = kPhysical;
        if (pointer) adopted.insert(i->result);
    }
    if (adopted.empty()) return;
    module.addCapability(spv::Capability::PhysicalStorageBufferAddresses);
    module.removeCapability(spv::Capability::Addresses);  // which Vulkan does not know either
    if (module.version() < 0x00010500) module.addExtension("SPV_KHR_physical_storage_buffer");
    for (const InstructionPtr& i : module.section(Section::kMemoryModel)) {
        if (i->opcode != spv::Op::OpMemoryModel) continue;
        i->operands[0] = literal(spv::AddressingModel::PhysicalStorageBuffer64);
    }
    for (const auto& function : module.functions()) {
        for (const InstructionPtr& parameter : function->parameters) {
            if (!adopted.contains(parameter->type)) continue;
            if (!module.decoration(parameter->result, spv::Decoration::Restrict) &&
                !module.decoration(parameter->result, spv::Decoration::Aliased)) {
                module.decorate(parameter->result, spv::Decoration::Aliased);
            }
        }
        for (const auto& block : function->blocks) {
            for (const InstructionPtr& i : block->body) {
                alignAccess(module, adopted, *i);
                adoptSteps(module, adopted, *i);
                if (i->opcode != spv::Op::OpVariable) continue;
                const Id held = module.def(i->type).word(1);
                if (adopted.contains(held)) {
                    module.decorate(i->result, spv::Decoration::AliasedPointer);
                }
            }
        }
    }
}

}  // namespace coopvk::rewrite
