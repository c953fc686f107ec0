// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <ranges>

#include "ir/loop_slices.hpp"
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
    std::vector<const Block*> last(blocks.size());  // that branches to a block
    for (size_t b = 0; b < blocks.size(); ++b) numbers_[blocks[b]->id()] = b;
    for (size_t b = 0; b < blocks.size(); ++b) {
        if (blocks[b]->body.empty()) continue;
        for (const Operand& o : blocks[b]->body.back()->operands) {
            const std::optional<size_t> to = o.isId ? number(o.word) : std::nullopt;
            if (!to || last[*to] == blocks[b].get()) continue;
            last[*to] = blocks[b].get();
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
        if (merge && next)
            loops_.push_back({.header = b, .continueTarget = *next, .merge = *merge});
    }
    std::vector<size_t> outermost(loops_.size());  // by loop: of those found so far
    std::iota(outermost.begin(), outermost.end(), size_t{0});
    // A header is ahead of those of inner loops, since it dominates them.
    for (Loop& loop : std::views::reverse(loops_)) collect(loop, outermost);
    numberLoops();
}

// Finds the blocks to which the header leads by other ways than through the merge block. Inner
// loops are known: of each, this visits the merge block only.
void BlockGraph::collect(Loop& loop, std::vector<size_t>& outermost) {
    // Halves the way there each time.
    const auto outermostOf = [&](size_t one) {
        while (outermost[one] != one) one = outermost[one] = outermost[outermost[one]];
        return one;
    };
    std::vector<size_t> pending = {loop.header};
    while (!pending.empty()) {
        const size_t block = pending.back();
        pending.pop_back();
        if (block == loop.merge) continue;
        if (innermost_[block] == nullptr) {
            innermost_[block] = &loop;
            pending.insert(pending.end(), successors_[block].begin(), successors_[block].end());
            continue;
        }
        Loop& inner = loops_[outermostOf(indexOf(*innermost_[block]))];
        if (&inner == &loop) continue;
        inner.around = &loop;
        outermost[indexOf(inner)] = indexOf(loop);
        pending.push_back(inner.merge);
    }
}

// A loop is behind the one around it in loops_.
void BlockGraph::numberLoops() {
    for (Loop& loop : loops_) loop.end = 1;  // for now: how many it is, with those in it
    for (size_t b = 0; b < innermost_.size(); ++b) {
        if (innermost_[b] != nullptr) loops_[indexOf(*innermost_[b])].last = b;
    }
    for (const Loop& loop : std::views::reverse(loops_)) {
        if (loop.around == nullptr) continue;
        Loop& around = loops_[indexOf(*loop.around)];
        around.end += loop.end;
        around.last = std::max(around.last, loop.last);
    }
    size_t next = 0;                           // of the loops that no loop has
    std::vector<size_t> inner(loops_.size());  // by loop: the number of the next one in it
    for (size_t l = 0; l < loops_.size(); ++l) {
        Loop& loop = loops_[l];
        size_t& number = loop.around == nullptr ? next : inner[indexOf(*loop.around)];
        if (loop.around != nullptr) loop.depth = loop.around->depth + 1;
        loop.first = number;
        number += loop.end;
        inner[l] = loop.first + 1;
        loop.end += loop.first;
    }
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

std::optional<TestedLoop> testedLoop(const Function& function, const BlockGraph& graph,
                                     const Loop& loop) {
    const Instruction& branch = *function.blocks[loop.header]->body.back();
    const std::vector<size_t>& from = graph.predecessors(loop.header);
    if (branch.opcode != OpBranchConditional || from.size() != 2 || from[0] >= loop.header ||
        from[1] <= loop.header || isLoopHeader(*function.blocks[from[0]])) {
        return std::nullopt;
    }
    const Id merge = function.blocks[loop.merge]->id();
    const bool goesOnIf = branch.word(2) == merge;
    const auto first = graph.number(branch.word(goesOnIf ? 1 : 2));
    if (!first || *first == loop.merge || (!goesOnIf && branch.word(1) != merge)) {
        return std::nullopt;
    }
    return TestedLoop{.before = from[0],
                      .header = loop.header,
                      .latch = from[1],
                      .first = *first,
                      .merge = loop.merge,
                      .condition = branch.word(0),
                      .goesOnIf = goesOnIf,
                      .latchLabel = function.blocks[from[1]]->id()};
}

Definitions::Definitions(const Function& function) : function_(function) {
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        const InstructionList& body = function.blocks[b]->body;
        for (size_t at = 0; at < body.size(); ++at) {
            if (body[at]->result != 0) positions_[body[at]->result] = {b, at};
        }
    }
}

}  // namespace coopvk::rewrite
