// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "ir/blocks.hpp"
#include "ir/function_editor.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// The OpLoopMerge of a header that is its loop's continue target; nullptr for other blocks.
Instruction* mergeOfShared(const Block& block) {
    return isLoopHeader(block) && mergeOf(block)->word(1) == block.id() ? mergeOf(block) : nullptr;
}

// The number of the one block that branches back to a header; nullopt if there is not just one.
std::optional<size_t> backEdgeTo(const BlockGraph& graph, size_t header) {
    const std::vector<size_t>& from = graph.predecessors(header);
    const auto found = std::ranges::lower_bound(from, header);
    return from.end() - found == 1 ? std::optional(*found) : std::nullopt;
}

// Loops whose header is their continue target: the OpLoopMerge, by the block that branches back.
std::map<size_t, Instruction*> sharedTargets(const Function& function) {
    std::map<size_t, Instruction*> found;
    std::optional<BlockGraph> graph;
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        Instruction* merge = mergeOfShared(*function.blocks[b]);
        if (merge == nullptr) continue;
        if (!graph) graph.emplace(function);
        if (const auto last = backEdgeTo(*graph, b)) found[*last] = merge;
    }
    return found;
}

// The number of the first instruction that ends a block: its OpSelectionMerge, if it has one.
size_t endOf(const InstructionList& body) {
    const size_t last = body.size() - 1;
    return last > 0 && body[last - 1]->opcode == spv::Op::OpSelectionMerge ? last - 1 : last;
}

}  // namespace

void separateContinueTargets(TypeTable& types) {
    for (const auto& function : types.module().functions()) {
        const std::map<size_t, Instruction*> targets = sharedTargets(*function);
        if (targets.empty()) continue;
        FunctionEditor editor(types, *function);
        for (size_t b = 0; b < function->blocks.size(); ++b) {
            editor.beginBlock(*function->blocks[b]);
            InstructionList& body = function->blocks[b]->body;
            const auto target = targets.find(b);
            const size_t end = target == targets.end() ? body.size() : endOf(body);
            editor.keep(body, 0, end);
            if (end < body.size()) target->second->operands[1].word = editor.split();
            editor.keep(body, end, body.size());
            editor.endBlock();
        }
        editor.finish();
    }
}

bool sharesContinueTarget(const Module& module) {
    return std::ranges::any_of(
        module.functions(), [](const auto& function) { return !sharedTargets(*function).empty(); });
}

}  // namespace coopvk::rewrite
