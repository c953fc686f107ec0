// SPDX-License-Identifier: Apache-2.0
#include "int4/int4_types.hpp"

#include <algorithm>

namespace coopvk::rewrite {

void findInt4Types(Int4Context& context) {
    Module& module = context.module;
    for (const InstructionPtr& global : module.section(Section::kGlobals)) {
        const Instruction& i = *global;
        if (i.opcode == spv::Op::OpTypeInt && i.word(0) == 4) {
            const bool isSigned = i.word(1) != 0;
            context.int4[i.result] = {i.result, isSigned, 1};
        } else if (i.opcode == spv::Op::OpTypeVector) {
            const Int4Type* scalar = context.type(i.word(0));
            if (scalar == nullptr) {
                if (i.word(1) <= 4) continue;
                context.fail(ErrorCode::kUnsupported, i,
                             "vectors of more than four components are for 4-bit integers only");
                return;
            }
            constexpr uint32_t kCounts[] = {2, 3, 4, 8, 16};
            if (std::ranges::find(kCounts, i.word(1)) == std::end(kCounts)) {
                context.fail(ErrorCode::kInvalidModule, i,
                             "a vector has 2, 3, 4, 8 or 16 components");
                return;
            }
            context.int4[i.result] = {i.result, scalar->isSigned, i.word(1)};
        } else if (i.opcode == spv::Op::OpTypeCooperativeMatrixKHR) {
            if (const Int4Type* scalar = context.type(i.word(0))) {
                if (!module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL)) {
                    context.fail(ErrorCode::kInvalidModule, i,
                                 "matrices of 4-bit components need the capability "
                                 "Int4CooperativeMatrixINTEL");
                    return;
                }
                context.matrices[i.result] = scalar->isSigned;
            }
        }
    }
}

namespace {

// Renames ids in an instruction.
void rename(const std::map<Id, Id>& names, Instruction& i) {
    const auto renamed = [&](Id id) {
        const auto found = names.find(id);
        return found == names.end() ? id : found->second;
    };
    if (i.type != 0) i.type = renamed(i.type);
    for (Operand& operand : i.operands) {
        if (operand.isId) operand.word = renamed(operand.word);
    }
}

void rename(const std::map<Id, Id>& names, InstructionList& list) {
    for (const InstructionPtr& i : list) rename(names, *i);
}

void rename(const std::map<Id, Id>& names, Module& module) {
    for (const Section section :
         {Section::kEntryPoints, Section::kExecutionModes, Section::kGlobals}) {
        rename(names, module.section(section));
    }
    for (const auto& function : module.functions()) {
        rename(names, *function->definition);
        rename(names, function->parameters);
        for (const auto& block : function->blocks) rename(names, block->body);
    }
}

// Drops globals and what names or decorates them.
void drop(Module& module, const std::map<Id, Id>& names) {
    InstructionList& globals = module.section(Section::kGlobals);
    std::erase_if(globals, [&](InstructionPtr& i) {
        if (i->result == 0 || !names.contains(i->result)) return false;
        module.retire(std::move(i));
        return true;
    });
    for (const Section section : {Section::kDebug, Section::kAnnotations}) {
        std::erase_if(module.section(section), [&](const InstructionPtr& i) {
            return !i->operands.empty() && i->operands[0].isId && names.contains(i->word(0));
        });
    }
}

// Function types that became the same; all other types that may only be declared once are made by
// the type table.
std::map<Id, Id> duplicates(const Module& module) {
    std::map<std::vector<uint32_t>, Id> seen;
    std::map<Id, Id> names;
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

void renameInt4Types(Int4Context& context) {
    Module& module = context.module;
    std::map<Id, Id> names;
    for (const auto& [id, type] : context.int4) names[id] = type.stand;
    drop(module, names);
    rename(names, module);
    const std::map<Id, Id> twins = duplicates(module);
    drop(module, twins);
    rename(twins, module);
    context.types.rescan();
}

}  // namespace coopvk::rewrite
