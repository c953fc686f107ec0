// SPDX-License-Identifier: Apache-2.0
//
// Extended instructions that say nothing of what the module computes.
#include <algorithm>

#include "ir/module.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

bool Module::removeExtended(const std::function<bool(const Instruction&)>& isGone) {
    std::unordered_set<Id> gone;
    const auto visit = [&](InstructionList& list) {
        gone.merge(
            takeOut(list, [&](const Instruction& i) { return isExtInst(i.opcode) && isGone(i); }));
    };
    visit(section(Section::kGlobals));
    for (const auto& function : functions_) {
        visit(function->lead);
        visit(function->parameters);
        for (const auto& block : function->blocks) {
            visit(block->lead);
            visit(block->body);
        }
        visit(function->endLead);
    }
    visit(tail_);
    forget(gone);
    return !gone.empty();
}

void Module::dropDanglingNotes() {
    const auto names = [&](const Instruction& i) {
        return isNonSemantic(*this, i) && std::ranges::any_of(i.operands, [&](const Operand& o) {
                   return o.isId && def(o.word).result == 0;
               });
    };
    while (removeExtended(names)) {
    }
}

void Module::removeSet(std::string_view name) {
    const auto isImport = [&](const Instruction& i) { return stringFromOperands(i, 0) == name; };
    InstructionList& imports = section(Section::kExtInstImports);
    const auto found = std::ranges::find_if(imports, [&](const auto& i) { return isImport(*i); });
    if (found == imports.end()) return;
    const Id set = (*found)->result;
    removeExtended([&](const Instruction& i) { return i.word(0) == set; });
    forget(takeOut(imports, isImport));
}

}  // namespace coopvk::rewrite
