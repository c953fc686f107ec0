// SPDX-License-Identifier: Apache-2.0
#include "ir/blocks.hpp"
#include "ir/dead_code.hpp"
#include "ir/effects.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// The blocks to which a block may lead: one, if its condition is constant.
std::vector<size_t> followers(const Module& module, const BlockGraph& graph, const Block& block,
                              size_t number) {
    const Instruction* end = block.body.empty() ? nullptr : block.body.back().get();
    if (end != nullptr && end->opcode == OpBranchConditional && end->operands.size() >= 3) {
        const spv::Op condition = module.def(end->word(0)).opcode;
        const bool isTrue = condition == OpConstantTrue;
        const auto taken = graph.number(end->word(isTrue ? 1 : 2));
        if ((isTrue || condition == OpConstantFalse) && taken) return {*taken};
    }
    return graph.successors(number);
}

// By number: whether the block may be executed.
std::vector<bool> executedBlocks(const Module& module, const Function& function) {
    const BlockGraph graph(function);
    std::vector<bool> executed(function.blocks.size());
    std::vector<size_t> pending = {0};
    while (!pending.empty()) {
        const size_t number = pending.back();
        pending.pop_back();
        if (executed[number]) continue;
        executed[number] = true;
        const auto next = followers(module, graph, *function.blocks[number], number);
        pending.insert(pending.end(), next.begin(), next.end());
    }
    return executed;
}

bool directsControlFlow(const Instruction& i) {
    return isTerminator(i.opcode) || isOneOf(i.opcode, {OpSelectionMerge, OpLoopMerge});
}

}  // namespace

void removeUnreadValues(Module& module) {
    std::unordered_set<Id> neverComputed;
    for (const auto& function : module.functions()) {
        if (function->blocks.empty()) continue;
        const std::vector<bool> executed = executedBlocks(module, *function);
        for (size_t number = 0; number < executed.size(); ++number) {
            if (executed[number]) continue;
            InstructionList& body = function->blocks[number]->body;
            module.takeOut(
                body, [](const Instruction& i) { return i.result == 0 && !directsControlFlow(i); });
            for (const InstructionPtr& i : body) neverComputed.insert(i->result);
        }
    }
    const Effects effects(module);
    removeDeadCode(module, [&](const Instruction& i) {
        return neverComputed.contains(i.result) || mayVanish(effects.of(i));
    });
}

}  // namespace coopvk::rewrite
