// SPDX-License-Identifier: Apache-2.0
#include "program/decorations.hpp"

namespace coopvk::reference {

Decorations::Decorations(const std::vector<Parsed>& module) {
    for (const Parsed& instruction : module) {
        switch (instruction.opcode) {
            case spv::Op::OpDecorate:
            case spv::Op::OpDecorateId:
                add(instruction, 1, kNone);
                break;
            case spv::Op::OpMemberDecorate:
            case spv::Op::OpMemberDecorateIdEXT:
                add(instruction, 2, instruction.operands[1].word);
                break;
            case spv::Op::OpGroupDecorate:
            case spv::Op::OpGroupMemberDecorate:
                apply(instruction);
                break;
            default:
                break;
        }
    }
}

void Decorations::add(const Parsed& instruction, size_t first, uint32_t member) {
    const auto& operands = instruction.operands;
    rows_[operands[0].word].push_back({member, static_cast<spv::Decoration>(operands[first].word),
                                       operands.size() > first + 1 ? operands[first + 1].word : 0});
}

void Decorations::apply(const Parsed& group) {
    const std::vector<Row> rows = rows_[group.operands[0].word];
    const bool members = group.opcode == spv::Op::OpGroupMemberDecorate;
    for (size_t i = 1; i < group.operands.size(); i += members ? 2 : 1) {
        for (Row row : rows) {
            if (members) row.member = group.operands[i + 1].word;
            rows_[group.operands[i].word].push_back(row);
        }
    }
}

std::optional<uint32_t> Decorations::find(uint32_t id, uint32_t member,
                                          spv::Decoration decoration) const {
    const auto found = rows_.find(id);
    if (found == rows_.end()) return std::nullopt;
    for (const Row& row : found->second)
        if (row.member == member && row.decoration == decoration) return row.literal;
    return std::nullopt;
}

}  // namespace coopvk::reference
