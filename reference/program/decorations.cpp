// SPDX-License-Identifier: Apache-2.0
#include "program/decorations.hpp"

namespace coopvk::reference {

Decorations::Decorations(const std::vector<Parsed>& module) {
    for (const Parsed& instruction : module) {
        const auto& operands = instruction.operands;
        switch (instruction.opcode) {
            case spv::Op::OpDecorate:
            case spv::Op::OpDecorateId:
                add(instruction, 1, kNone);
                break;
            case spv::Op::OpMemberDecorate:
            case spv::Op::OpMemberDecorateIdEXT:
                add(instruction, 2, operands[1].word);
                break;
            case spv::Op::OpGroupDecorate:
                for (size_t i = 1; i < operands.size(); ++i)
                    copyGroup(operands[0].word, operands[i].word, kNone);
                break;
            case spv::Op::OpGroupMemberDecorate:
                for (size_t i = 1; i + 1 < operands.size(); i += 2)
                    copyGroup(operands[0].word, operands[i].word, operands[i + 1].word);
                break;
            default:
                break;
        }
    }
}

void Decorations::add(const Parsed& instruction, size_t first, uint32_t member) {
    const auto& operands = instruction.operands;
    literals_.try_emplace(
        {operands[0].word, member, static_cast<spv::Decoration>(operands[first].word)},
        operands.size() > first + 1 ? operands[first + 1].word : 0);
}

void Decorations::copyGroup(uint32_t group, uint32_t id, uint32_t member) {
    const auto begin = literals_.lower_bound({group, kNone, spv::Decoration{0}});
    for (auto row = begin; row != literals_.end() && std::get<0>(row->first) == group; ++row)
        literals_.try_emplace({id, member, std::get<2>(row->first)}, row->second);
}

std::optional<uint32_t> Decorations::of(uint32_t id, spv::Decoration decoration,
                                        uint32_t member) const {
    const auto found = literals_.find({id, member, decoration});
    return found == literals_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace coopvk::reference
