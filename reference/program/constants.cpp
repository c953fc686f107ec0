// SPDX-License-Identifier: Apache-2.0
#include "execution/frame.hpp"
#include "program/decoder.hpp"

namespace coopvk::reference {

void Decoder::addConstant(uint32_t id, const Type& type, std::span<const uint64_t> components,
                          bool defined) {
    Program& program = *program_;
    Slot& slot = program.slots[newSlot(id, type)];
    slot.constant = true;
    slot.storage = program.constantDefined.size();
    program.constantDefined.resize(slot.storage + type.components,
                                   defined ? LaneMask::firstLanes(kMaxLanes) : LaneMask{});
    program.constantData.reserve((slot.storage + type.components) * program.lanes);
    for (uint32_t i = 0; i < type.components; ++i)
        program.constantData.insert(program.constantData.end(), program.lanes,
                                    i < components.size() ? components[i] : 0);
}

// Zero if the id is no constant.
uint32_t Decoder::constantOf(uint32_t id, uint32_t component) const {
    const auto found = program_->slotOf.find(id);
    if (found == program_->slotOf.end() || !program_->slots[found->second].constant) return 0;
    return static_cast<uint32_t>(program_->constantAt(found->second, component));
}

Status Decoder::readConstant(const Parsed& instruction) {
    const Type* of = type(instruction.typeId);
    if (of == nullptr) return invalid(instruction, "a constant has no type");
    switch (instruction.opcode) {
        case spv::Op::OpConstantNull:
            addConstant(instruction.resultId, *of, {});
            return Done{};
        case spv::Op::OpUndef:
        case spv::Op::OpPoisonKHR:
            addConstant(instruction.resultId, *of, {}, false);
            return Done{};
        case spv::Op::OpConstantComposite:
        case spv::Op::OpSpecConstantComposite:
        case spv::Op::OpConstantCompositeReplicateEXT:
        case spv::Op::OpSpecConstantCompositeReplicateEXT:
            return readCompositeConstant(instruction);
        case spv::Op::OpSpecConstantOp:
            return readOperationConstant(instruction);
        case spv::Op::OpConstant:
        case spv::Op::OpConstantTrue:
        case spv::Op::OpConstantFalse:
        case spv::Op::OpSpecConstant:
        case spv::Op::OpSpecConstantTrue:
        case spv::Op::OpSpecConstantFalse:
            return readScalarConstant(instruction);
        default:
            return unsupported(instruction);
    }
}

Status Decoder::readScalarConstant(const Parsed& instruction) {
    const Type& of = *type(instruction.typeId);
    uint64_t bits = 0;
    if (of.kind == Kind::kBool) {
        bits = instruction.opcode == spv::Op::OpConstantTrue ||
               instruction.opcode == spv::Op::OpSpecConstantTrue;
    } else if (!instruction.operands.empty()) {
        bits = instruction.operands[0].word | uint64_t{instruction.operands[0].high} << 32;
    }
    const auto specialised = decorations_.of(instruction.resultId, spv::Decoration::SpecId);
    if (specialised) {
        for (const SpecializationValue& value : request_.specialization) {
            if (value.constantId != *specialised) continue;
            bits = of.kind == Kind::kBool ? value.bits != 0 : value.bits;
        }
    }
    bits &= widthMask(of.width);
    addConstant(instruction.resultId, of, {&bits, 1});
    return Done{};
}

Status Decoder::readCompositeConstant(const Parsed& instruction) {
    const Type& of = *type(instruction.typeId);
    const bool replicate = of.kind == Kind::kCooperativeMatrix ||
                           instruction.opcode == spv::Op::OpConstantCompositeReplicateEXT ||
                           instruction.opcode == spv::Op::OpSpecConstantCompositeReplicateEXT;
    std::vector<uint64_t> components;
    bool defined = true;
    size_t next = 0;
    while (components.size() < of.components) {
        if (next == instruction.operands.size()) {
            if (!replicate || next == 0) break;
            next = 0;
        }
        const auto found = program_->slotOf.find(instruction.operands[next++].word);
        if (found == program_->slotOf.end())
            return invalid(instruction, "a constituent is no constant");
        const Slot& part = program_->slots[found->second];
        for (uint32_t i = 0; i < part.type->components; ++i) {
            components.push_back(program_->constantAt(found->second, i));
            defined &= program_->constantDefined[part.storage + i].any();
        }
        if (part.type->components == 0 && replicate) break;
    }
    addConstant(instruction.resultId, of, components, defined);
    return Done{};
}

// OpSpecConstantOp: executed once, by what executes the operation in functions.
Status Decoder::readOperationConstant(const Parsed& instruction) {
    const Type& of = *type(instruction.typeId);
    Parsed operation = instruction;
    operation.opcode = static_cast<spv::Op>(instruction.operands[0].word);
    operation.operands.erase(operation.operands.begin());
    addConstant(instruction.resultId, of, {});
    Instruction executed;
    Status chosen = chooseRow(operation, executed);
    if (!chosen) return chosen;
    executeOnConstants(*program_, executed);
    return Done{};
}

}  // namespace coopvk::reference
