// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// Operand index of an entry point's first interface id: behind the words of its name.
size_t firstInterface(const Instruction& entryPoint) {
    size_t i = 2;
    while (i < entryPoint.operands.size() && !entryPoint.operands[i].isId) ++i;
    return i;
}

struct FunctionUses {
    std::unordered_set<Id> variables;
    std::vector<Id> callees;
};

// Interfaces list Input variables; from SPIR-V 1.4 on, all variables of the module that are used.
bool belongsToInterface(const Module& module, Id id) {
    const Instruction& variable = module.def(id);
    if (variable.opcode != spv::Op::OpVariable) return false;
    const auto storage = static_cast<spv::StorageClass>(variable.word(0));
    if (module.version() < 0x00010400) return storage == spv::StorageClass::Input;
    return storage != spv::StorageClass::Function;
}

std::unordered_map<Id, FunctionUses> collectUses(const Module& module) {
    std::unordered_map<Id, FunctionUses> uses;
    for (const auto& function : module.functions()) {
        FunctionUses& use = uses[function->id()];
        for (const auto& block : function->blocks) {
            for (const InstructionPtr& i : block->body) {
                if (i->opcode == spv::Op::OpFunctionCall) use.callees.push_back(i->word(0));
                for (const Operand& operand : i->operands) {
                    if (operand.isId && belongsToInterface(module, operand.word)) {
                        use.variables.insert(operand.word);
                    }
                }
            }
        }
    }
    return uses;
}

}  // namespace

void completeInterfaces(Module& module) {
    const std::unordered_map<Id, FunctionUses> uses = collectUses(module);
    for (const InstructionPtr& entry : module.section(Section::kEntryPoints)) {
        std::unordered_set<Id> listed;
        for (size_t i = firstInterface(*entry); i < entry->operands.size(); ++i) {
            listed.insert(entry->word(i));
        }
        std::vector<Id> pending = {entry->word(1)};
        std::unordered_set<Id> visited;
        std::vector<Id> missing;
        while (!pending.empty()) {
            const Id function = pending.back();
            pending.pop_back();
            const auto use = uses.find(function);
            if (use == uses.end() || !visited.insert(function).second) continue;
            for (Id variable : use->second.variables) {
                if (listed.insert(variable).second) missing.push_back(variable);
            }
            pending.insert(pending.end(), use->second.callees.begin(), use->second.callees.end());
        }
        std::ranges::sort(missing);  // hash order would make the output vary
        for (Id variable : missing) entry->operands.push_back(idOperand(variable));
    }
}

}  // namespace coopvk::rewrite
