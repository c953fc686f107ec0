// SPDX-License-Identifier: Apache-2.0
#include "blockio/alias_variables.hpp"

#include <algorithm>

#include "ir/buffers.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto word(spv::Decoration decoration) { return static_cast<uint32_t>(decoration); }

// What the variable points to: the data type of an untyped variable.
Id contents(const Module& module, const Instruction& variable) {
    if (variable.opcode == spv::Op::OpUntypedVariableKHR) return variable.word(1);
    return module.def(variable.type).word(1);
}

// Members of a structure that carry a decoration.
size_t membersWith(const Module& module, Id type, spv::Decoration decoration) {
    return static_cast<size_t>(
        std::ranges::count_if(module.section(Section::kAnnotations), [&](const InstructionPtr& i) {
            return i->opcode == spv::Op::OpMemberDecorate && i->word(0) == type &&
                   i->word(2) == word(decoration);
        }));
}

}  // namespace

Id AliasVariables::blockType(Id variable, Id element) {
    Module& module = context_.module;
    Id original = contents(module, module.def(variable));
    while (isArrayType(module.def(original).opcode)) original = module.def(original).word(0);
    const size_t members = module.def(original).operands.size();
    const auto count = [&](spv::Decoration d) { return membersWith(module, original, d); };
    const bool readOnly = members != 0 && count(spv::Decoration::NonWritable) == members;
    const bool coherent = count(spv::Decoration::Coherent) != 0;
    const bool isVolatile = count(spv::Decoration::Volatile) != 0;
    const uint32_t qualifiers = readOnly * 1u + coherent * 2u + isVolatile * 4u;
    const auto [entry, isNew] = blocks_.try_emplace({element, qualifiers}, 0);
    if (!isNew) return entry->second;
    std::vector<spv::Decoration> kept;
    if (readOnly) kept.push_back(spv::Decoration::NonWritable);
    if (coherent) kept.push_back(spv::Decoration::Coherent);
    if (isVolatile) kept.push_back(spv::Decoration::Volatile);
    entry->second = bufferBlock(context_.types, element, spv::Decoration::Block, kept);
    return entry->second;
}

// Both may now change what the other one reads.
void AliasVariables::shareBinding(Id variable, Id alias) {
    Module& module = context_.module;
    InstructionList& annotations = module.section(Section::kAnnotations);
    declareAliased(module, variable);
    const size_t count = annotations.size();
    for (size_t a = 0; a < count; ++a) {
        const Instruction& i = *annotations[a];
        if (i.opcode != spv::Op::OpDecorate || i.word(0) != variable) continue;
        Operands operands = i.operands;
        operands[0] = idOperand(alias);
        module.append(Section::kAnnotations,
                      makeInstruction(spv::Op::OpDecorate, 0, 0, std::move(operands)));
    }
}

Id AliasVariables::get(Id variable, Id element, uint32_t bytes) {
    const auto [entry, isNew] = variables_.try_emplace({variable, element}, 0);
    if (!isNew) return entry->second;
    Module& module = context_.module;
    const Instruction& original = module.def(variable);
    const auto storage = static_cast<spv::StorageClass>(original.word(0));
    const Id type =
        likeDescriptors(module, contents(module, original), blockType(variable, element));
    const Id alias = entry->second = module.takeId();
    module.append(Section::kGlobals,
                  makeInstruction(spv::Op::OpVariable, context_.types.pointerType(storage, type),
                                  alias, {literal(storage)}));
    shareBinding(variable, alias);
    module.addName(alias, std::format("coopvk_bytes{}_of_{}", bytes, variable));
    return alias;
}

}  // namespace coopvk::rewrite
