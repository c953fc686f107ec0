// SPDX-License-Identifier: Apache-2.0
#include "ir/types.hpp"

namespace coopvk::rewrite {

namespace {

using Keeps = bool (*)(const Instruction&);

// Removes the types with the old ids, except those that instructions keep.
void drop(Module& module, const TypeNames& names, Keeps keeps) {
    std::unordered_set<Id> gone;
    InstructionList& globals = module.section(Section::kGlobals);
    for (const auto& [id, name] : names) gone.insert(id);
    for (const InstructionPtr& i : globals) {
        if (keeps == nullptr || !keeps(*i)) continue;
        for (const Operand& operand : i->operands) {
            if (operand.isId) gone.erase(operand.word);
        }
    }
    module.forget(
        module.takeOut(globals, [&](const Instruction& i) { return gone.contains(i.result); }));
}

void rename(Module& module, const TypeNames& names, Keeps keeps) {
    drop(module, names, keeps);
    const auto renamed = [&](Id id) {
        const auto found = names.find(id);
        return found == names.end() ? id : found->second;
    };
    const auto renameIn = [&](Instruction& i) {
        i.type = renamed(i.type);
        if (keeps != nullptr && keeps(i)) return;
        for (Operand& operand : i.operands) {
            if (operand.isId) operand.word = renamed(operand.word);
        }
    };
    const auto renameAll = [&](InstructionList& list) {
        for (const InstructionPtr& i : list) renameIn(*i);
    };
    for (const Section section :
         {Section::kEntryPoints, Section::kExecutionModes, Section::kGlobals}) {
        renameAll(module.section(section));
    }
    for (const auto& function : module.functions()) {
        renameIn(*function->definition);
        renameAll(function->parameters);
        for (const auto& block : function->blocks) renameAll(block->body);
    }
}

// Function types that have become equal. The type table declares all other such types.
TypeNames duplicates(const Module& module) {
    std::map<std::vector<uint32_t>, Id> seen;
    TypeNames names;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != spv::Op::OpTypeFunction) continue;
        std::vector<uint32_t> key;
        for (const Operand& operand : i->operands) key.push_back(operand.word);
        const auto [entry, isNew] = seen.try_emplace(std::move(key), i->result);
        if (!isNew) names[i->result] = entry->second;
    }
    return names;
}

}  // namespace

void replaceTypes(TypeTable& types, const TypeNames& names, Keeps keeps) {
    rename(types.module(), names, keeps);
    rename(types.module(), duplicates(types.module()), keeps);
    types.rescan();
}

}  // namespace coopvk::rewrite
