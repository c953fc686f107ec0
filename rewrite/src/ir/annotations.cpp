// SPDX-License-Identifier: Apache-2.0
//
// Names and decorations of a module's ids.
#include <algorithm>

#include "ir/module.hpp"

namespace coopvk::rewrite {

void Module::addName(Id id, std::string_view name) {
    Operands operands = {idOperand(id)};
    for (Operand operand : stringOperands(name)) operands.push_back(operand);
    // OpModuleProcessed must come after names.
    InstructionList& debug = section(Section::kDebug);
    auto place = std::ranges::find_if(
        debug, [](const InstructionPtr& i) { return i->opcode == spv::Op::OpModuleProcessed; });
    debug.insert(place, makeInstruction(spv::Op::OpName, 0, 0, std::move(operands)));
}

void Module::decorate(Id id, spv::Decoration decoration, std::initializer_list<uint32_t> literals) {
    Operands operands = {idOperand(id), literal(decoration)};
    for (uint32_t word : literals) operands.push_back(literal(word));
    append(Section::kAnnotations, makeInstruction(spv::Op::OpDecorate, 0, 0, std::move(operands)));
}

void Module::decorateMember(Id type, uint32_t member, spv::Decoration decoration,
                            std::initializer_list<uint32_t> literals) {
    Operands operands = {idOperand(type), literal(member), literal(decoration)};
    for (uint32_t word : literals) operands.push_back(literal(word));
    append(Section::kAnnotations,
           makeInstruction(spv::Op::OpMemberDecorate, 0, 0, std::move(operands)));
}

std::optional<uint32_t> Module::decoration(Id id, spv::Decoration decoration) const {
    for (const InstructionPtr& i : section(Section::kAnnotations)) {
        if (i->word(0) == id && decorates(*i, decoration)) return i->word(2);
    }
    return std::nullopt;
}

std::optional<uint32_t> Module::memberDecoration(Id type, uint32_t member,
                                                 spv::Decoration decoration) const {
    for (const InstructionPtr& i : section(Section::kAnnotations)) {
        if (i->opcode == spv::Op::OpMemberDecorate && i->word(0) == type && i->word(1) == member &&
            i->word(2) == static_cast<uint32_t>(decoration)) {
            return i->word(3);
        }
    }
    return std::nullopt;
}

void Module::removeDecoration(Id id, spv::Decoration decoration) {
    std::erase_if(section(Section::kAnnotations), [&](const InstructionPtr& i) {
        return i->word(0) == id && decorates(*i, decoration);
    });
}

void Module::forget(const std::unordered_set<Id>& gone) {
    const auto isGone = [&](const Operand& o) { return o.isId && gone.contains(o.word); };
    for (const Section which : {Section::kExecutionModes, Section::kDebug, Section::kAnnotations}) {
        std::erase_if(section(which), [&](const InstructionPtr& i) {
            return !i->operands.empty() && isGone(i->operands[0]);
        });
    }
    for (const InstructionPtr& i : section(Section::kAnnotations)) {
        if (i->opcode == spv::Op::OpGroupDecorate) std::erase_if(i->operands, isGone);
    }
    for (const InstructionPtr& entry : section(Section::kEntryPoints)) {
        std::erase_if(entry->operands, isGone);
    }
    for (const Id id : gone) {
        if (id < defs_.size()) defs_[id] = nullptr;
    }
}

void Module::copyNamesAndDecorations(Id from, Id to) {
    for (const Section which : {Section::kDebug, Section::kAnnotations}) {
        InstructionList& list = section(which);
        for (size_t i = 0; i < list.size(); ++i) {
            const spv::Op opcode = list[i]->opcode;
            const bool names = opcode == spv::Op::OpName || opcode == spv::Op::OpMemberName;
            const bool decorates =
                opcode == spv::Op::OpDecorate || opcode == spv::Op::OpMemberDecorate;
            if ((!names && !decorates) || list[i]->word(0) != from) continue;
            auto copy = std::make_unique<Instruction>(*list[i]);
            copy->operands[0].word = to;
            // Next to the original, since OpModuleProcessed must come after names.
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(++i), std::move(copy));
        }
    }
}

}  // namespace coopvk::rewrite
