// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "execution/opcode_table.hpp"
#include "memory/chain.hpp"
#include "program/decoder.hpp"

namespace coopvk::reference {

bool isSilent(spv::Op opcode) {
    static constexpr spv::Op kSilent[] = {
        spv::Op::OpLabel,         spv::Op::OpPhi,         spv::Op::OpSelectionMerge,
        spv::Op::OpLoopMerge,     spv::Op::OpLine,        spv::Op::OpNoLine,
        spv::Op::OpNop,           spv::Op::OpUndef,       spv::Op::OpPoisonKHR,
        spv::Op::OpLifetimeStart, spv::Op::OpLifetimeStop};
    return std::find(std::begin(kSilent), std::end(kSilent), opcode) != std::end(kSilent);
}

Error Decoder::invalid(const Parsed& instruction, const std::string& message) const {
    return {ErrorCode::kInvalidModule, "Op" + std::string(nameOf(instruction)) + " %" +
                                           std::to_string(instruction.resultId) + ": " + message};
}

Error Decoder::unsupported(const Parsed& instruction) const {
    Error error = invalid(instruction, "this device does not execute it");
    error.code = ErrorCode::kUnsupported;
    return error;
}

Status Decoder::readBlock(const Body& body, Function& function, Block& block) {
    for (size_t i = body.first; i <= body.last; ++i) {
        const Parsed& instruction = module_[i];
        if (isSilent(instruction.opcode)) continue;
        if (instruction.opcode == spv::Op::OpExtInst ||
            instruction.opcode == spv::Op::OpExtInstWithForwardRefsKHR) {
            const auto set = sets_.find(instruction.operands[0].word);
            if (set != sets_.end() && set->second.starts_with("NonSemantic.") &&
                findRow(set->second, instruction.operands[1].word) == nullptr)
                continue;
        }
        Status read = chooseRow(instruction, block.instructions.emplace_back());
        if (!read) return read;
        if (instruction.opcode == spv::Op::OpReturnValue)
            block.instructions.back().result = function.result;
    }
    return Done{};
}

Status Decoder::chooseRow(const Parsed& from, Instruction& to) {
    to.opcode = from.opcode;
    to.resultId = from.resultId;
    to.word = from.word;
    to.type = type(from.typeId);
    const auto slot = program_->slotOf.find(from.resultId);
    if (from.resultId != 0 && slot != program_->slotOf.end()) to.result = slot->second;
    size_t first = 0;
    if (from.opcode == spv::Op::OpExtInst) {
        const auto set = sets_.find(from.operands[0].word);
        if (set != sets_.end()) to.row = findRow(set->second, from.operands[1].word);
        first = 2;
    } else {
        to.row = findRow(from.opcode);
    }
    if (to.row == nullptr) return unsupported(from);
    for (size_t i = first; i < from.operands.size(); ++i)
        to.operands.push_back(operandOf(from.operands[i]));
    to.saturates = decorations_.has(from.resultId, spv::Decoration::SaturatedConversion) ||
                   decorations_.has(from.resultId,
                                    spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT);
    to.transposes = decorations_.has(from.resultId, spv::Decoration::CooperativeMatrixTransposeEXT);
    if (const auto mode = decorations_.of(from.resultId, spv::Decoration::FPRoundingMode))
        to.rounding = *mode;
    to.handler = to.row->handler;
    if (isChain(to.opcode)) {
        Status read = readChain(to);
        if (!read) return read;
    }
    setPointee(to);
    if (to.row->prepare == nullptr) return Done{};
    Status prepared = to.row->prepare(*program_, to);
    if (!prepared && prepared.error().message.empty()) return unsupported(from);
    return prepared;
}

Status Decoder::readChain(Instruction& chain) {
    Result<ChainPlan> plan = planChain(*program_, chain);
    if (!plan) return plan.error();
    program_->slots[chain.result].pointee = plan->pointee;
    chain.prepared = std::make_shared<const ChainPlan>(std::move(*plan));
    return Done{};
}

// Copies keep what is known of a pointer's pointee.
void Decoder::setPointee(const Instruction& instruction) {
    if (instruction.opcode != spv::Op::OpCopyObject || instruction.result == kNone) return;
    const uint32_t from = instruction.operands[0].slot;
    if (from != kNone) program_->slots[instruction.result].pointee = program_->slots[from].pointee;
}

}  // namespace coopvk::reference
