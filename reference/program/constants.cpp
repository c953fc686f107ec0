// SPDX-License-Identifier: Apache-2.0
#include "execution/frame.hpp"
#include "program/decoder.hpp"

namespace coopvk::reference {

Status Decoder::addConstant(const Parsed& instruction, const Type& type,
                            std::span<const uint64_t> components, bool defined) {
    if (type.components > kMostComponents) return unsupported(instruction);
    Program& program = *program_;
    Slot& slot = program.slots[newSlot(instruction.resultId, type)];
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

// Zero if the id is no constant.
uint32_t Decoder::constantOf(uint32_t id, uint32_t component) const {
    const auto found = program_->slotOf.find(id);
    if (found == program_->slotOf.end() || !program_->slots[found->second].constant) return 0;
    return static_cast<uint32_t>(program_->constantAt(found->second, component));
}

// Specialization constants are constants already.
Status Decoder::readConstant(const Parsed& instruction) {
    const Type* of = type(instruction.typeId);
    if (of == nullptr) return invalid(instruction, "a constant has no type");
    uint64_t bits = 0;
    switch (instruction.opcode) {
        case spv::Op::OpConstantNull:
            return addConstant(instruction, *of, {});
        case spv::Op::OpUndef:
        case spv::Op::OpPoisonKHR:
            return addConstant(instruction, *of, {}, false);
        case spv::Op::OpConstantComposite:
        case spv::Op::OpSpecConstantComposite:
        case spv::Op::OpConstantCompositeReplicateEXT:
        case spv::Op::OpSpecConstantCompositeReplicateEXT:
            return readCompositeConstant(instruction, *of);
        case spv::Op::OpSpecConstantOp:
            return readOperationConstant(instruction, *of);
        case spv::Op::OpConstantTrue:
        case spv::Op::OpConstantFalse:
            bits = instruction.opcode == spv::Op::OpConstantTrue;
            return addConstant(instruction, *of, {&bits, 1});
        case spv::Op::OpConstant:
            bits = instruction.operands[0].word | uint64_t{instruction.operands[0].high} << 32;
            bits &= widthMask(of->width);
            return addConstant(instruction, *of, {&bits, 1});
        default:
            return unsupported(instruction);
    }
}

Status Decoder::readCompositeConstant(const Parsed& instruction, const Type& of) {
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
    return addConstant(instruction, of, components, defined);
}

// OpSpecConstantOp: executed once, by what executes the operation in functions.
Status Decoder::readOperationConstant(const Parsed& instruction, const Type& of) {
    Parsed operation = instruction;
    operation.opcode = static_cast<spv::Op>(instruction.operands[0].word);
    operation.operands.erase(operation.operands.begin());
    Status status = addConstant(instruction, of, {});
    Instruction executed;
    if (status) status = chooseRow(operation, executed);
    if (status) executeOnConstants(*program_, executed);
    return status;
}

}  // namespace coopvk::reference
