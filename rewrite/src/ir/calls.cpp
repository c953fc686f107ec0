// SPDX-License-Identifier: Apache-2.0
#include "ir/calls.hpp"

namespace coopvk::rewrite {

FunctionsById::FunctionsById(const Module& module) : byId_(module.bound()) {
    for (const auto& function : module.functions()) byId_[function->id()] = function.get();
}

std::unordered_set<Id> functionsReachedFrom(const Module& module, std::vector<Id> starts) {
    const FunctionsById functions(module);
    std::vector<Id> pending = std::move(starts);
    const auto visit = [&](const Instruction& i) {
        for (const Operand& operand : i.operands) {
            if (operand.isId && functions.find(operand.word)) pending.push_back(operand.word);
        }
    };
    std::unordered_set<Id> reached;
    while (!pending.empty()) {
        const Id id = pending.back();
        pending.pop_back();
        const Function* function = functions.find(id);
        if (function != nullptr && reached.insert(id).second) function->visitBlocks(visit);
    }
    return reached;
}

CalledCode codeOf(const Module& module, Id function) {
    const std::unordered_set<Id> reached = functionsReachedFrom(module, {function});
    CalledCode code;
    for (const auto& one : module.functions()) {
        if (!reached.contains(one->id())) continue;
        one->visitBlocks([&](const Instruction& i) {
            code.words += i.wordCount();
            code.hasLoops |= i.opcode == OpLoopMerge;
        });
    }
    return code;
}

}  // namespace coopvk::rewrite
