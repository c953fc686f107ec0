// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/blocks.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// The OpLoopMerge of a header that is its loop's continue target; nullptr for other blocks.
Instruction* mergeOfShared(const Block& block) {
    return isLoopHeader(block) && mergeOf(block)->word(1) == block.id() ? mergeOf(block) : nullptr;
}

// The number of the one block that branches back to a header; nullopt if there is not just one.
std::optional<size_t> backEdgeTo(const Function& function, size_t header) {
    const std::vector<size_t> from = BlockGraph(function).predecessors(header);
    const auto found = std::ranges::lower_bound(from, header);
    return from.end() - found == 1 ? std::optional(*found) : std::nullopt;
}

// The number of the first instruction that ends a block: its merge instruction, if it has one.
size_t endOf(const Block& block) {
    const size_t last = block.body.size() - 1;
    const bool merges = last > 0 && block.body[last - 1]->opcode == spv::Op::OpSelectionMerge;
    return merges ? last - 1 : last;
}

void separate(Module& module, Function& function, size_t header) {
    Instruction* merge = mergeOfShared(*function.blocks[header]);
    std::optional<size_t> last = merge != nullptr ? backEdgeTo(function, header) : std::nullopt;
    if (!last) return;
    if (*last == header) {
        // The header keeps phis and OpLoopMerge.
        Block& head = *function.blocks[header];
        InstructionList& body = splitBlock(module, function, header, endOfPhis(head)).body;
        const auto at = std::ranges::find(body, merge, &InstructionPtr::get);
        head.body.insert(head.body.end() - 1, std::move(*at));
        body.erase(at);
        ++*last;
    }
    const Block& target = splitBlock(module, function, *last, endOf(*function.blocks[*last]));
    merge->operands[1].word = target.id();
}

}  // namespace

void separateContinueTargets(Module& module) {
    for (const auto& function : module.functions()) {
        for (size_t b = 0; b < function->blocks.size(); ++b) separate(module, *function, b);
    }
}

bool sharesContinueTarget(const Module& module) {
    for (const auto& function : module.functions()) {
        for (size_t b = 0; b < function->blocks.size(); ++b) {
            if (mergeOfShared(*function->blocks[b]) && backEdgeTo(*function, b)) return true;
        }
    }
    return false;
}

}  // namespace coopvk::rewrite
