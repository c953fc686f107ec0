// SPDX-License-Identifier: Apache-2.0
#include <format>

#include "ir/composites.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// A word count has 16 bits, and three words are opcode, type and result.
constexpr uint64_t kMostConstituents = 0xffff - 3;

// The opcode that replaces one of a replicated composite; OpNop for other opcodes.
spv::Op expanded(spv::Op opcode) {
    switch (opcode) {
        case spv::Op::OpConstantCompositeReplicateEXT:
            return spv::Op::OpConstantComposite;
        case spv::Op::OpSpecConstantCompositeReplicateEXT:
            return spv::Op::OpSpecConstantComposite;
        case spv::Op::OpCompositeConstructReplicateEXT:
            return spv::Op::OpCompositeConstruct;
        default:
            return spv::Op::OpNop;
    }
}

std::optional<uint64_t> constituents(const Module& module, Id type) {
    const spv::Op opcode = module.def(type).opcode;
    const bool isMatrix = opcode == spv::Op::OpTypeCooperativeMatrixKHR ||
                          opcode == spv::Op::OpTypeCooperativeMatrixNV;
    return isMatrix ? 1 : memberCount(module, type);
}

std::optional<Error> expand(const Module& module, Instruction& i) {
    const spv::Op opcode = expanded(i.opcode);
    if (opcode == spv::Op::OpNop) return std::nullopt;
    const std::optional<uint64_t> count = constituents(module, i.type);
    if (!count || *count > kMostConstituents || i.operands.size() != 1) {
        return Error{ErrorCode::kUnsupported,
                     std::format("replicated composite %{}: its type has too many constituents, or "
                                 "their number is not known",
                                 i.result)};
    }
    i.opcode = opcode;
    i.operands.assign(static_cast<size_t>(*count), Operand(i.operands[0]));
    return std::nullopt;
}

}  // namespace

std::optional<Error> expandReplicatedComposites(Module& module) {
    std::optional<Error> error;
    const auto visit = [&](Instruction& i) {
        if (!error) error = expand(module, i);
    };
    for (const InstructionPtr& i : module.section(Section::kGlobals)) visit(*i);
    module.visitBlocks(visit);
    if (error) return error;
    module.removeCapability(spv::Capability::ReplicatedCompositesEXT);
    module.removeExtension("SPV_EXT_replicated_composites");
    return std::nullopt;
}

}  // namespace coopvk::rewrite
