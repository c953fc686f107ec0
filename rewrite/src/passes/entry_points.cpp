// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <unordered_set>

#include "ir/called_functions.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// The number of an entry point's first interface operand, after the words of its name.
size_t firstInterface(const Instruction& entryPoint) {
    size_t i = 2;
    while (i < entryPoint.operands.size() && !entryPoint.operands[i].isId) ++i;
    return i;
}

// Interfaces list Input variables; from SPIR-V 1.4 on, all global variables that are used.
bool belongsToInterface(const Module& module, Id id) {
    const Instruction& variable = module.def(id);
    if (variable.opcode != spv::Op::OpVariable) return false;
    const spv::StorageClass storage = storageOf(variable);
    if (module.version() < 0x00010400) return storage == spv::StorageClass::Input;
    return storage != spv::StorageClass::Function;
}

}  // namespace

void completeInterfaces(Module& module) {
    for (const InstructionPtr& entry : module.section(Section::kEntryPoints)) {
        std::unordered_set<Id> listed;
        for (size_t i = firstInterface(*entry); i < entry->operands.size(); ++i) {
            listed.insert(entry->word(i));
        }
        const std::unordered_set<Id> reached = functionsReachedFrom(module, entry->word(1));
        std::set<Id> missing;  // sorted: equal input must give equal output
        for (const auto& function : module.functions()) {
            if (!reached.contains(function->id())) continue;
            for (const auto& block : function->blocks) {
                for (const InstructionPtr& i : block->body) {
                    for (const Operand& operand : i->operands) {
                        if (operand.isId && belongsToInterface(module, operand.word) &&
                            !listed.contains(operand.word)) {
                            missing.insert(operand.word);
                        }
                    }
                }
            }
        }
        for (const Id variable : missing) entry->operands.push_back(idOperand(variable));
    }
}

}  // namespace coopvk::rewrite
