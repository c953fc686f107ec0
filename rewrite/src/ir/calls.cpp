// SPDX-License-Identifier: Apache-2.0
#include "ir/calls.hpp"

#include <algorithm>
#include <set>

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

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

namespace {

class Search {
 public:
    explicit Search(const Module& module) : module_(module) {}

    bool finds(Id id) {
        if (!visited_.insert(id).second) return false;
        const auto function =
            std::ranges::find(module_.functions(), id, [](const auto& f) { return f->id(); });
        return function == module_.functions().end() ||
               std::ranges::any_of((*function)->blocks, [&](const auto& block) {
                   return std::ranges::any_of(block->body,
                                              [&](const auto& i) { return isEffect(*i); });
               });
    }

 private:
    bool isEffect(const Instruction& i) {
        switch (i.opcode) {
            case spv::Op::OpLoad:
                return isVolatile(operandsBehind(i, 1));
            case spv::Op::OpStore:
                return isVolatile(operandsBehind(i, 2)) ||
                       module_.storage(i.word(0)) != spv::StorageClass::Function;
            case spv::Op::OpFunctionCall:
                return finds(i.word(0));
            case spv::Op::OpExtInst:
                return isNonSemantic(module_, i);  // which may print
            default:
                return !isPure(i.opcode) && i.opcode != spv::Op::OpSwitch;
        }
    }

    const Module& module_;
    std::set<Id> visited_;
};

}  // namespace

bool hasNoSideEffects(const Module& module, Id function) { return !Search(module).finds(function); }

}  // namespace coopvk::rewrite
