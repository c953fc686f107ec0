// SPDX-License-Identifier: Apache-2.0
#include "ir/called_functions.hpp"

namespace coopvk::rewrite {

std::unordered_set<Id> functionsReachedFrom(const Module& module, Id start) {
    std::unordered_map<Id, const Function*> functions;
    for (const auto& function : module.functions()) functions[function->id()] = function.get();
    std::vector<Id> pending = {start};
    const auto visit = [&](const Instruction& i) {
        for (const Operand& operand : i.operands) {
            if (operand.isId && functions.contains(operand.word)) pending.push_back(operand.word);
        }
    };
    for (const InstructionPtr& i : module.section(Section::kGlobals)) visit(*i);
    std::unordered_set<Id> reached;
    while (!pending.empty()) {
        const Id id = pending.back();
        pending.pop_back();
        const auto function = functions.find(id);
        if (function == functions.end() || !reached.insert(id).second) continue;
        for (const auto& block : function->second->blocks) {
            for (const InstructionPtr& i : block->body) visit(*i);
        }
    }
    return reached;
}

}  // namespace coopvk::rewrite
