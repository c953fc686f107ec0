// SPDX-License-Identifier: Apache-2.0
//
// Constants and variables.

#include "execution/frame.hpp"
#include "program/decoder.hpp"

namespace coopvk::reference {

uint32_t Program::newSlot(uint32_t id, const Type& type) {
    const uint32_t index = uint32_t(slots.size());
    const bool isPointer = type.kind == Kind::kPointer;
    slots.push_back({&type, id, false, 0, isPointer ? Pointee{type.element} : Pointee{}});
    slotOf[id] = index;
    return index;
}

uint32_t Decoder::slotOf(uint32_t id) const {
    const auto found = program_->slotOf.find(id);
    return id != 0 && found != program_->slotOf.end() ? found->second : kNone;
}

// Zero if the id is no constant.
uint32_t Decoder::constantOf(uint32_t id, uint32_t component) const {
    const uint32_t slot = slotOf(id);
    if (slot == kNone || !program_->slots[slot].constant) return 0;
    return uint32_t(program_->constantAt(slot, component));
}

Status Decoder::addConstant(const Parsed& from, const Type& type,
                            std::span<const uint64_t> components, bool defined) {
    if (type.components > kMostComponents) return unsupported(from);
    Program& program = *program_;
    Slot& slot = program.slots[program_->newSlot(from.resultId, type)];
    slot.constant = true;
    slot.storage = program.constantDefined.size();
    program.constantDefined.resize(slot.storage + type.components,
                                   defined ? LaneMask::firstLanes(kMaxLanes) : LaneMask{});
    program.constantData.reserve((slot.storage + type.components) * program.lanes);
    for (uint32_t i = 0; i < type.components; ++i)
        program.constantData.insert(program.constantData.end(), program.lanes,
                                    i < components.size() ? components[i] : 0);
    return Done{};
}

// Specialization constants are constants already.
Status Decoder::readConstant(const Parsed& from, const Type& of) {
    const spv::Op opcode = from.opcode;
    const std::string_view name = nameOf(from);
    if (opcode == OpConstantNull) return addConstant(from, of, {});
    if (opcode == OpUndef || opcode == OpPoisonKHR) return addConstant(from, of, {}, false);
    if (name.find("Composite") != name.npos) return readCompositeConstant(from, of);
    if (opcode == OpSpecConstantOp) return readOperationConstant(from, of);
    uint64_t bits = opcode == OpConstantTrue;
    if (opcode == OpConstant)
        bits = from.operands[0].literal() & lowBits(of.width);
    else if (opcode != OpConstantTrue && opcode != OpConstantFalse)
        return unsupported(from);
    return addConstant(from, of, {&bits, 1});
}

Status Decoder::readCompositeConstant(const Parsed& from, const Type& of) {
    const bool replicate = of.kind == Kind::kCooperativeMatrix ||
                           from.opcode == OpConstantCompositeReplicateEXT ||
                           from.opcode == OpSpecConstantCompositeReplicateEXT;
    std::vector<uint64_t> components;
    bool defined = true;
    size_t next = 0;
    while (components.size() < of.components) {
        if (next == from.size()) {
            if (!replicate || next == 0) break;
            next = 0;
        }
        const uint32_t slot = slotOf(from[next++]);
        if (slot == kNone) return invalid(from, "a constituent is no constant");
        const Slot& part = program_->slots[slot];
        for (uint32_t i = 0; i < part.type->components; ++i) {
            components.push_back(program_->constantAt(slot, i));
            defined &= program_->constantDefined[part.storage + i].any();
        }
        if (part.type->components == 0 && replicate) break;
    }
    return addConstant(from, of, components, defined);
}

// OpSpecConstantOp: executed once, by what executes the operation in functions.
Status Decoder::readOperationConstant(const Parsed& from, const Type& of) {
    Parsed operation = from;
    operation.opcode = spv::Op(from[0]);
    operation.operands.erase(operation.operands.begin());
    Status status = addConstant(from, of, {});
    Instruction executed;
    if (status) status = chooseRow(operation, executed);
    if (status) executeOnConstants(*program_, executed);
    return status;
}

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

Status Decoder::readVariable(const Parsed& from, const Type& pointer) {
    const bool untyped = from.opcode == OpUntypedVariableKHR;
    Variable variable;
    variable.storage = spv::StorageClass(from[0]);
    variable.type = pointer.element;
    if (untyped) variable.type = from.size() > 1 ? type(from[1]) : nullptr;
    const size_t initializer = untyped ? 2 : 1;
    if (from.size() > initializer) variable.initializer = slotOf(from[initializer]);
    const uint32_t id = from.resultId;
    variable.set = decorations_.literal(id, spv::Decoration::DescriptorSet);
    variable.binding = decorations_.literal(id, spv::Decoration::Binding);
    variable.builtIn = decorations_.of(id, spv::Decoration::BuiltIn).value_or(kNone);
    variable.descriptorArray = isDescriptorArray(variable);
    variable.slot = program_->newSlot(id, pointer);
    program_->slots[variable.slot].pointee = {variable.type};
    if (!used_.contains(id)) return Done{};  // of another entry point
    placeVariable(variable);
    program_->variables.push_back(variable);
    const bool fits =
        program_->sharedSize <= kMostSharedBytes && program_->privateComponents <= kMostComponents;
    return fits ? Status(Done{}) : unsupported(from);
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
