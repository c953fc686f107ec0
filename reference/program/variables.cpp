// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "program/decoder.hpp"

namespace coopvk::reference {

namespace {

bool isDescriptor(spv::StorageClass storage) {
    return storage == spv::StorageClass::Uniform || storage == spv::StorageClass::StorageBuffer ||
           storage == spv::StorageClass::UniformConstant;
}

// Whether the variable is an array whose elements have a descriptor each.
bool isDescriptorArray(const Variable& variable) {
    return isDescriptor(variable.storage) && variable.type != nullptr &&
           (variable.type->kind == Kind::kArray || variable.type->kind == Kind::kRuntimeArray) &&
           variable.type->element->block;
}

}  // namespace

Status Decoder::readVariable(const Parsed& instruction) {
    const Type* pointer = type(instruction.typeId);
    if (pointer == nullptr) return invalid(instruction, "a variable has no type");
    const bool untyped = instruction.opcode == spv::Op::OpUntypedVariableKHR;
    const auto& operands = instruction.operands;
    Variable variable;
    variable.storage = static_cast<spv::StorageClass>(operands[0].word);
    variable.type = pointer->element;
    if (untyped) variable.type = operands.size() > 1 ? type(operands[1].word) : nullptr;
    const size_t initializer = untyped ? 2 : 1;
    if (operands.size() > initializer) {
        const auto found = program_->slotOf.find(operands[initializer].word);
        if (found != program_->slotOf.end()) variable.initializer = found->second;
    }
    const uint32_t id = instruction.resultId;
    variable.set = decorations_.of(id, spv::Decoration::DescriptorSet).value_or(0);
    variable.binding = decorations_.of(id, spv::Decoration::Binding).value_or(0);
    variable.builtIn = decorations_.of(id, spv::Decoration::BuiltIn).value_or(kNone);
    variable.descriptorArray = isDescriptorArray(variable);
    variable.slot = newSlot(id, *pointer);
    program_->slots[variable.slot].pointee = {variable.type};
    if (!used_.contains(id)) return Done{};  // of another entry point
    placeVariable(variable);
    program_->variables.push_back(variable);
    const bool fits =
        program_->sharedSize <= kMostSharedBytes && program_->privateComponents <= kMostComponents;
    return fits ? Status(Done{}) : unsupported(instruction);
}

// Function, Private, Input, Output: components; Workgroup: bytes. Blocks in Workgroup memory, which
// are decorated Aliased, all start at its first byte (SPV_KHR_workgroup_memory_explicit_layout).
void Decoder::placeVariable(Variable& variable) {
    if (variable.type == nullptr) return;
    Program& program = *program_;
    if (variable.storage == spv::StorageClass::Workgroup) {
        const uint64_t size = sizeOf({variable.type});
        constexpr uint64_t kAlignment = 16;
        const uint64_t end = (program.sharedSize + kAlignment - 1) / kAlignment * kAlignment;
        variable.offset = variable.type->block ? 0 : end;
        program.sharedSize = std::max(program.sharedSize, variable.offset + size);
    } else if (!isDescriptor(variable.storage) &&
               variable.storage != spv::StorageClass::PushConstant) {
        variable.offset = program.privateComponents;
        program.privateComponents += std::min(variable.type->components, 2 * kMostComponents);
    }
}

}  // namespace coopvk::reference
