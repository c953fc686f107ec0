// SPDX-License-Identifier: Apache-2.0
//
// Specialization constants with the values of a pipeline become constants.
#include <algorithm>
#include <format>
#include <utility>

#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

uint64_t littleEndian(std::span<const std::byte> data) {
    uint64_t value = 0;
    for (size_t i = 0; i < data.size(); ++i) value |= static_cast<uint64_t>(data[i]) << 8 * i;
    return value;
}

bool isScalarSpecConstant(spv::Op opcode) {
    return opcode == OpSpecConstant || opcode == OpSpecConstantTrue ||
           opcode == OpSpecConstantFalse;
}

std::optional<Error> setValue(TypeTable& types, Instruction& i, const SpecializationEntry& entry) {
    const bool isBool = i.opcode != OpSpecConstant;
    const size_t size = isBool ? 4 : (types.width(i.type) + 7) / 8;
    if (entry.data.size() != size) {
        return Error{ErrorCode::kInvalidArgument,
                     std::format("specialization constant {} (id %{}) takes {} bytes, got {}",
                                 entry.constantId, i.result, size, entry.data.size())};
    }
    const uint64_t value = littleEndian(entry.data);
    if (isBool) {
        i.opcode = value != 0 ? OpSpecConstantTrue : OpSpecConstantFalse;
    } else {
        i.operands = types.module().def(types.constant(i.type, value)).operands;
    }
    return std::nullopt;
}

// The opcode of the constant that replaces a specialization constant; other opcodes unchanged.
spv::Op frozen(spv::Op opcode) {
    constexpr std::pair<spv::Op, spv::Op> kFrozen[] = {
        {OpSpecConstant, OpConstant},
        {OpSpecConstantTrue, OpConstantTrue},
        {OpSpecConstantFalse, OpConstantFalse},
        {OpSpecConstantComposite, OpConstantComposite},
        {OpSpecConstantCompositeReplicateEXT, OpConstantCompositeReplicateEXT}};
    for (const auto& [spec, constant] : kFrozen) {
        if (opcode == spec) return constant;
    }
    return opcode;
}

bool isFrozen(const Instruction& constant) {
    return constant.opcode != OpSpecConstantOp && frozen(constant.opcode) == constant.opcode;
}

}  // namespace

std::optional<Error> specialise(TypeTable& types, std::span<const SpecializationEntry> entries) {
    Module& module = types.module();
    // By index: setting a value may append constants to the section.
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& i = *globals[g];
        if (!isScalarSpecConstant(i.opcode)) continue;
        const std::optional<uint32_t> specId = module.decoration(i.result, spv::Decoration::SpecId);
        for (const SpecializationEntry& entry : entries) {
            if (entry.constantId != specId) continue;
            if (std::optional<Error> error = setValue(types, i, entry)) return error;
        }
        i.opcode = frozen(i.opcode);
    }
    module.removeDecorations(
        [](const Instruction& i) { return decorates(i, spv::Decoration::SpecId); });
    return std::nullopt;
}

std::optional<Error> checkArrayLengths(const Module& module) {
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != OpTypeArray) continue;
        const std::optional<uint64_t> length = module.constantValue(i->word(1));
        if (!length || static_cast<int64_t>(*length) > 0) continue;
        return Error{ErrorCode::kInvalidModule,
                     std::format("array type %{}: Length must be at least 1", i->result)};
    }
    return std::nullopt;
}

void foldSpecConstants(TypeTable& types, const MatrixLength& length) {
    Module& module = types.module();
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& i = *globals[g];
        if (i.opcode == OpSpecConstantOp) {
            foldSpecConstantOp(types, i, length);
        } else if (std::ranges::all_of(i.operands, [&](const Operand& operand) {
                       return isFrozen(module.def(operand.word));
                   })) {
            i.opcode = frozen(i.opcode);
        }
    }
}

}  // namespace coopvk::rewrite
