// SPDX-License-Identifier: Apache-2.0
#include "ir/blocks.hpp"

#include <algorithm>
#include <numeric>
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
        if (merge && next) loops_.push_back({b, *next, *merge, nullptr});
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
    const auto indexOf = [&](const Loop& one) { return static_cast<size_t>(&one - loops_.data()); };
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
    const auto around = [&](const Loop& loop) -> Loop& {
        return loops_[static_cast<size_t>(loop.around - loops_.data())];
    };
    for (const Loop& loop : std::views::reverse(loops_)) {
        if (loop.around != nullptr) around(loop).end += loop.end;
    }
    size_t next = 0;                           // of the loops that no loop has
    std::vector<size_t> inner(loops_.size());  // by loop: the number of the next one in it
    for (size_t l = 0; l < loops_.size(); ++l) {
        Loop& loop = loops_[l];
        size_t& number =
            loop.around == nullptr ? next : inner[static_cast<size_t>(loop.around - loops_.data())];
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

namespace {

// Ancestors of the blocks in the tree of dominators. Each block also knows one far above it, so
// that few steps lead from a block to any above it, however deep it is.
class Ancestors {
 public:
    explicit Ancestors(size_t blocks) : depth_(blocks, 0), above_(blocks, 0), far_(blocks, 0) {}

    // Blocks are added behind those above them; the entry block, 0, is there.
    void add(size_t block, size_t above) {
        depth_[block] = depth_[above] + 1;
        above_[block] = above;
        // Of three blocks in a row, two know equally far ones: then this one knows the next.
        const size_t far = far_[above];
        const bool isEven = depth_[above] - depth_[far] == depth_[far] - depth_[far_[far]];
        far_[block] = isEven ? far_[far] : above;
    }
    size_t above(size_t block) const { return above_[block]; }

    // The lowest block that both have above them, or are.
    size_t common(size_t a, size_t b) const {
        if (depth_[a] < depth_[b]) std::swap(a, b);
        while (depth_[a] > depth_[b]) a = depth_[far_[a]] >= depth_[b] ? far_[a] : above_[a];
        while (a != b) {
            const bool isFar = far_[a] != far_[b];
            a = isFar ? far_[a] : above_[a];
            b = isFar ? far_[b] : above_[b];
        }
        return a;
    }

 private:
    std::vector<size_t> depth_, above_, far_;
};

// The blocks to which the entry block leads: each behind all that lead to it, but for those that do
// so by a back edge.
std::vector<size_t> inOrder(const BlockGraph& graph, size_t blocks) {
    std::vector<size_t> order, next(blocks, 0);
    std::vector<bool> isKnown(blocks);
    std::vector<size_t> open = {0};
    isKnown[0] = true;
    while (!open.empty()) {
        const size_t block = open.back();
        const std::vector<size_t>& successors = graph.successors(block);
        if (next[block] == successors.size()) {
            order.push_back(block);
            open.pop_back();
            continue;
        }
        const size_t to = successors[next[block]++];
        if (!isKnown[to]) open.push_back(to);
        isKnown[to] = true;
    }
    std::ranges::reverse(order);
    return order;
}

}  // namespace

Dominators::Dominators(const Function& function, const BlockGraph& graph)
    : ranges_(function.blocks.size()) {
    const size_t blocks = ranges_.size();
    if (blocks == 0) return;
    const std::vector<size_t> order = inOrder(graph, blocks);
    std::vector<size_t> place(blocks, kNone);
    for (size_t o = 0; o < order.size(); ++o) place[order[o]] = o;
    const auto isBackEdge = [&](size_t from, size_t to) { return place[from] >= place[to]; };
    const auto predecessors = [&](size_t block, auto visit) {
        for (const size_t from : graph.predecessors(block)) {
            if (place[from] != kNone) visit(from);
        }
    };
    Ancestors tree(blocks);
    for (const size_t block : order) {
        if (block == 0) continue;
        size_t above = kNone;
        predecessors(block, [&](size_t from) {
            if (isBackEdge(from, block)) return;
            above = above == kNone ? from : tree.common(above, from);
        });
        if (above >= block) return;  // malformed: blocks follow those that dominate them
        tree.add(block, above);
    }
    // Others than the edges of structured loops would change what is above a block.
    for (const size_t block : order) {
        bool isStructured = true;
        predecessors(block, [&](size_t from) {
            isStructured &= !isBackEdge(from, block) || tree.common(from, block) == block;
        });
        if (!isStructured) return;
    }
    number(tree, order);
}

// The blocks below one get the numbers behind its own.
template <typename Tree>
void Dominators::number(const Tree& tree, const std::vector<size_t>& order) {
    std::vector<size_t> below(ranges_.size(), 1);  // with itself
    for (const size_t block : std::views::reverse(order)) {
        if (block != 0) below[tree.above(block)] += below[block];
    }
    std::vector<size_t> next(ranges_.size());
    for (const size_t block : order) {
        const size_t first = block == 0 ? 0 : next[tree.above(block)];
        ranges_[block] = {first, first + below[block]};
        next[block] = first + 1;
        if (block != 0) next[tree.above(block)] += below[block];
    }
}

bool Dominators::dominates(size_t a, size_t b) const {
    const auto [first, end] = ranges_[a];
    return a == b || (ranges_[b].first >= first && ranges_[b].first < end);
}

}  // namespace coopvk::rewrite
