// SPDX-License-Identifier: Apache-2.0
#include "ir/blocks.hpp"

#include <algorithm>
#include <ranges>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

Instruction* mergeOf(const Block& block) {
    for (size_t at = block.body.size(); at-- > 1;) {
        Instruction& ahead = *block.body[at - 1];
        if (isOneOf(ahead.opcode, {OpLoopMerge, OpSelectionMerge})) return &ahead;
        if (!isDebugLine(ahead.opcode)) break;
    }
    return nullptr;
}

bool isLoopHeader(const Block& block) {
    const Instruction* merge = mergeOf(block);
    return merge != nullptr && merge->opcode == OpLoopMerge;
}

size_t endOfPhis(const Block& block) {
    size_t at = 0;
    while (at < block.body.size() &&
           (block.body[at]->opcode == OpPhi || isDebugLine(block.body[at]->opcode))) {
        ++at;
    }
    return at;
}

BlockGraph::BlockGraph(const Function& function)
    : function_(function),
      successors_(function.blocks.size()),
      predecessors_(function.blocks.size()),
      innermost_(function.blocks.size(), nullptr) {
    const auto& blocks = function.blocks;
    for (size_t b = 0; b < blocks.size(); ++b) numbers_[blocks[b]->id()] = b;
    for (size_t b = 0; b < blocks.size(); ++b) {
        if (blocks[b]->body.empty()) continue;
        for (const Operand& o : blocks[b]->body.back()->operands) {
            const std::optional<size_t> to = o.isId ? number(o.word) : std::nullopt;
            if (!to || std::ranges::find(successors_[b], *to) != successors_[b].end()) continue;
            successors_[b].push_back(*to);
            predecessors_[*to].push_back(b);
        }
    }
    findLoops();
}

std::optional<size_t> BlockGraph::number(Id label) const {
    const auto found = numbers_.find(label);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

void BlockGraph::findLoops() {
    for (size_t b = 0; b < function_.blocks.size(); ++b) {
        const Block& header = *function_.blocks[b];
        if (!isLoopHeader(header)) continue;
        const std::optional<size_t> merge = number(mergeOf(header)->word(0));
        const std::optional<size_t> next = number(mergeOf(header)->word(1));
        if (merge && next) loops_.push_back({b, *next, *merge, nullptr});
    }
    // A header is ahead of those of inner loops, since it dominates them.
    for (Loop& loop : std::views::reverse(loops_)) collect(loop);
}

// Finds the blocks to which the header leads by other ways than through the merge block. Inner
// loops are known: of each, this visits the merge block only.
void BlockGraph::collect(Loop& loop) {
    std::vector<size_t> pending = {loop.header};
    while (!pending.empty()) {
        const size_t block = pending.back();
        pending.pop_back();
        if (block == loop.merge) continue;
        const Loop* inner = innermost_[block];
        while (inner != nullptr && inner->around != nullptr) inner = inner->around;
        if (inner == &loop) continue;
        if (inner == nullptr) {
            innermost_[block] = &loop;
            pending.insert(pending.end(), successors_[block].begin(), successors_[block].end());
        } else {
            loops_[static_cast<size_t>(inner - loops_.data())].around = &loop;
            pending.push_back(inner->merge);
        }
    }
}

size_t BlockGraph::loopDepth(size_t block) const {
    size_t depth = 0;
    for (const Loop* loop = loopOf(block); loop != nullptr; loop = loop->around) ++depth;
    return depth;
}

bool BlockGraph::isInside(const Loop& loop, size_t block) const {
    const Loop* one = loopOf(block);
    while (one != nullptr && one != &loop) one = one->around;
    return one != nullptr;
}

std::vector<size_t> BlockGraph::blocksOf(const Loop& loop) const {
    std::vector<size_t> blocks, pending = {loop.header};
    std::unordered_set<size_t> known;
    while (!pending.empty()) {
        const size_t block = pending.back();
        pending.pop_back();
        if (!isInside(loop, block) || !known.insert(block).second) continue;
        blocks.push_back(block);
        pending.insert(pending.end(), successors_[block].begin(), successors_[block].end());
    }
    std::ranges::sort(blocks);
    return blocks;
}

// Whether every way from a selection leads to its merge block, without a loop.
bool BlockGraph::staysInSelection(size_t selection, size_t merge) const {
    std::vector<bool> reached(merge - selection + 1);
    reached[0] = true;
    for (size_t b = selection; b < merge; ++b) {
        if (!reached[b - selection]) continue;
        if (isLoopHeader(*function_.blocks[b]) || successors_[b].empty()) return false;
        for (const size_t to : successors_[b]) {
            if (to <= b || to > merge) return false;
            reached[to - selection] = true;
        }
    }
    return true;
}

bool BlockGraph::alwaysLeads(size_t from, size_t to) const {
    size_t b = from;
    while (b < to) {
        const Block& block = *function_.blocks[b];
        const Instruction* merge = mergeOf(block);
        if (isLoopHeader(block) || (merge == nullptr && successors_[b].size() != 1)) return false;
        const auto next = merge != nullptr ? number(merge->word(0)) : successors_[b].front();
        if (!next || *next <= b) return false;
        if (merge != nullptr && !staysInSelection(b, *next)) return false;
        b = *next;
    }
    return b == to;
}

// Blocks follow those that dominate them (SPIR-V specification, section 2.16.1). So the common
// dominator of two blocks is found by going up from the one with the higher number.
Dominators::Dominators(const Function& function, const BlockGraph& graph)
    : above_(function.blocks.size(), kNone) {
    if (above_.empty()) return;
    above_[0] = 0;
    const auto common = [&](size_t a, size_t b) {
        while (a != b) {
            size_t& higher = a > b ? a : b;
            if (above_[higher] >= higher) return kNone;  // malformed
            higher = above_[higher];
        }
        return a;
    };
    // Each round makes one more block right at least, unless the module is malformed.
    bool changes = true;
    for (size_t round = 0; changes && round < above_.size(); ++round) {
        changes = false;
        for (size_t block = 1; block < above_.size(); ++block) {
            size_t found = kNone;
            for (const size_t before : graph.predecessors(block)) {
                if (above_[before] == kNone) continue;
                found = found == kNone ? before : common(found, before);
                if (found == kNone) break;
            }
            if (found == kNone || found >= block) found = kNone;
            changes |= found != above_[block];
            above_[block] = found;
        }
    }
    if (changes) std::ranges::fill(above_, kNone);
}

bool Dominators::dominates(size_t a, size_t b) const {
    while (b > a) {
        if (above_[b] == kNone) return false;
        b = above_[b];
    }
    return a == b;
}

}  // namespace coopvk::rewrite
