// SPDX-License-Identifier: Apache-2.0
#include "passes/specialise.hpp"

#include <format>

namespace coopvk::rewrite {

namespace {

std::unordered_map<Id, uint32_t> specIds(const Module& module) {
    std::unordered_map<Id, uint32_t> ids;
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (i->opcode == spv::Op::OpDecorate &&
            i->word(1) == static_cast<uint32_t>(spv::Decoration::SpecId)) {
            ids.emplace(i->word(0), i->word(2));
        }
    }
    return ids;
}

uint64_t littleEndian(std::span<const std::byte> data) {
    uint64_t value = 0;
    for (size_t i = 0; i < data.size(); ++i) value |= static_cast<uint64_t>(data[i]) << 8 * i;
    return value;
}

bool isScalarSpecConstant(spv::Op opcode) {
    return opcode == spv::Op::OpSpecConstant || opcode == spv::Op::OpSpecConstantTrue ||
           opcode == spv::Op::OpSpecConstantFalse;
}

std::optional<Error> setValue(TypeTable& types, Instruction& i, const SpecializationEntry& entry) {
    const bool isBool = i.opcode != spv::Op::OpSpecConstant;
    const size_t size = isBool ? 4 : (types.width(i.type) + 7) / 8;
    if (entry.data.size() != size) {
        return Error{ErrorCode::kInvalidArgument,
                     std::format("specialization constant {} (id %{}) takes {} bytes, got {}",
                                 entry.constantId, i.result, size, entry.data.size())};
    }
    const uint64_t value = littleEndian(entry.data);
    if (isBool) {
        i.opcode = value != 0 ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse;
    } else {
        i.operands = types.module().def(types.constant(i.type, value)).operands;
    }
    return std::nullopt;
}

void freeze(Instruction& i) {
    switch (i.opcode) {
        case spv::Op::OpSpecConstant:
            i.opcode = spv::Op::OpConstant;
            break;
        case spv::Op::OpSpecConstantTrue:
            i.opcode = spv::Op::OpConstantTrue;
            break;
        case spv::Op::OpSpecConstantFalse:
            i.opcode = spv::Op::OpConstantFalse;
            break;
        default:
            break;
    }
}

bool isFrozen(const Instruction& constant) {
    switch (constant.opcode) {
        case spv::Op::OpSpecConstantOp:
        case spv::Op::OpSpecConstantComposite:
        case spv::Op::OpSpecConstantCompositeReplicateEXT:
            return false;
        default:
            return true;
    }
}

}  // namespace

std::optional<Error> specialise(TypeTable& types, std::span<const SpecializationEntry> entries) {
    Module& module = types.module();
    const std::unordered_map<Id, uint32_t> ids = specIds(module);
    // By index: setting a value may append constants to the section.
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& i = *globals[g];
        if (!isScalarSpecConstant(i.opcode)) continue;
        if (const auto specId = ids.find(i.result); specId != ids.end()) {
            for (const SpecializationEntry& entry : entries) {
                if (entry.constantId != specId->second) continue;
                if (std::optional<Error> error = setValue(types, i, entry)) return error;
            }
        }
        freeze(i);
    }
    std::erase_if(module.section(Section::kAnnotations), [](const InstructionPtr& i) {
        return i->opcode == spv::Op::OpDecorate &&
               i->word(1) == static_cast<uint32_t>(spv::Decoration::SpecId);
    });
    return std::nullopt;
}

void foldSpecConstants(TypeTable& types, const MatrixLength& length) {
    Module& module = types.module();
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& i = *globals[g];
        if (i.opcode == spv::Op::OpSpecConstantOp) {
            foldSpecConstantOp(types, i, length);
        } else if (i.opcode == spv::Op::OpSpecConstantComposite ||
                   i.opcode == spv::Op::OpSpecConstantCompositeReplicateEXT) {
            bool frozen = true;
            for (const Operand& operand : i.operands) {
                frozen = frozen && isFrozen(module.def(operand.word));
            }
            if (!frozen) continue;
            i.opcode = i.opcode == spv::Op::OpSpecConstantComposite
                           ? spv::Op::OpConstantComposite
                           : spv::Op::OpConstantCompositeReplicateEXT;
        }
    }
}

}  // namespace coopvk::rewrite
