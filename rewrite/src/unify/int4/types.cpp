// SPDX-License-Identifier: Apache-2.0
#include "unify/int4/types.hpp"

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
        } else if (context.isMatrix(i.result) &&
                   !module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL)) {
            context.fail(ErrorCode::kInvalidModule, i,
                         "matrices of 4-bit components need the capability "
                         "Int4CooperativeMatrixINTEL");
            return;
        }
    }
}

namespace {

using Names = std::map<Id, Id>;

// Removes the types with the old ids, except component types of matrices.
void drop(Module& module, const Names& names) {
    std::unordered_set<Id> gone;
    InstructionList& globals = module.section(Section::kGlobals);
    for (const auto& [id, name] : names) gone.insert(id);
    for (const InstructionPtr& i : globals) {
        if (i->opcode == spv::Op::OpTypeCooperativeMatrixKHR) gone.erase(i->word(0));
    }
    module.forget(
        module.takeOut(globals, [&](const Instruction& i) { return gone.contains(i.result); }));
}

void rename(Module& module, const Names& names) {
    drop(module, names);
    const auto renamed = [&](Id id) {
        const auto found = names.find(id);
        return found == names.end() ? id : found->second;
    };
    const auto renameIn = [&](Instruction& i) {
        i.type = renamed(i.type);
        for (Operand& operand : i.operands) {
            const bool keeps = i.opcode == spv::Op::OpTypeCooperativeMatrixKHR;
            if (operand.isId && !keeps) operand.word = renamed(operand.word);
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

// Function types that have become equal, which must not be declared twice. The type table declares
// all other such types.
Names duplicates(const Module& module) {
    std::map<std::vector<uint32_t>, Id> seen;
    Names names;
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
    Names names;
    for (const auto& [id, type] : context.int4) names[id] = type.replacement;
    rename(context.module, names);
    rename(context.module, duplicates(context.module));
    context.types.rescan();
}

}  // namespace coopvk::rewrite
