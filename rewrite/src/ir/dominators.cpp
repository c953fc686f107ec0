// SPDX-License-Identifier: Apache-2.0
#include "ir/dominators.hpp"

#include <algorithm>
#include <ranges>
#include <span>
#include <unordered_set>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// The tree of dominators of a graph or, reversed, of post-dominators (Lengauer, Tarjan: A Fast
// Algorithm for Finding Dominators in a Flowgraph). It takes nearly linear time, also where the
// reversed graph has loops with several entries. Blocks have the numbers of a depth-first search,
// from 1; the root, 0, is above those from which it starts.
class DominatorTree {
 public:
    DominatorTree(const BlockGraph& graph, size_t blocks, bool isReversed)
        : graph_(graph), isReversed_(isReversed), numbers_(blocks, 0), isStart_(blocks, false) {}

    bool isReached(size_t block) const { return numbers_[block] != 0; }
    // The root leads to this block. Visits all to which it leads, and that are not reached yet.
    void start(size_t block) {
        isStart_[block] = true;
        if (isReached(block)) return;
        std::vector<std::pair<size_t, size_t>> open;  // with the number of the next edge
        reach(block, 0, open);
        while (!open.empty()) {
            auto& [from, edge] = open.back();
            const std::vector<size_t>& next = edges(from, isReversed_);
            if (edge == next.size()) {
                open.pop_back();
                continue;
            }
            const size_t to = next[edge++];
            if (!isReached(to)) reach(to, numbers_[from], open);
        }
    }

    // The blocks that are reached, each behind those above it.
    std::span<const size_t> order() const { return std::span(order_).subspan(1); }
    // By block: the one above it; kNowhere: the root, or it is not reached.
    std::vector<size_t> immediate() {
        std::vector<size_t> above(order_.size(), 0);
        std::vector<std::vector<size_t>> waiting(order_.size());  // by semidominator
        for (size_t w = order_.size(); --w > 0;) {
            waiting[findSemidominator(w)].push_back(w);
            linked_[w] = parents_[w];
            for (const size_t v : std::exchange(waiting[parents_[w]], {})) {
                const size_t best = bestAbove(v);
                above[v] = semidominators_[best] < semidominators_[v] ? best : parents_[w];
            }
        }
        std::vector<size_t> found(numbers_.size(), kNowhere);
        for (size_t w = 1; w < order_.size(); ++w) {
            if (above[w] != semidominators_[w]) above[w] = above[above[w]];
            found[order_[w]] = order_[above[w]];
        }
        return found;
    }

 private:
    const std::vector<size_t>& edges(size_t block, bool backwards) const {
        return backwards ? graph_.predecessors(block) : graph_.successors(block);
    }

    void reach(size_t block, size_t parent, std::vector<std::pair<size_t, size_t>>& open) {
        const size_t number = order_.size();
        numbers_[block] = number;
        order_.push_back(block);
        parents_.push_back(parent);
        semidominators_.push_back(number);
        best_.push_back(number);
        linked_.push_back(kNowhere);
        open.push_back({block, 0});
    }

    size_t findSemidominator(size_t w) {
        size_t& found = semidominators_[w];
        if (isStart_[order_[w]]) return found = 0;
        for (const size_t from : edges(order_[w], !isReversed_)) {
            if (isReached(from))
                found = std::min(found, semidominators_[bestAbove(numbers_[from])]);
        }
        return found;
    }

    // The one with the least semidominator, from v up to below the top of the tree that is linked
    // so far. Links lead there directly from now on.
    size_t bestAbove(size_t v) {
        if (linked_[v] == kNowhere) return v;
        std::vector<size_t> way;
        for (size_t one = v; linked_[linked_[one]] != kNowhere; one = linked_[one])
            way.push_back(one);
        for (const size_t one : std::views::reverse(way)) {
            const size_t over = best_[linked_[one]];
            if (semidominators_[over] < semidominators_[best_[one]]) best_[one] = over;
            linked_[one] = linked_[linked_[one]];
        }
        return best_[v];
    }

    const BlockGraph& graph_;
    const bool isReversed_;
    std::vector<size_t> numbers_;  // by block; 0: not reached
    std::vector<bool> isStart_;
    // By number:
    std::vector<size_t> order_ = {kNowhere};  // the block
    std::vector<size_t> parents_ = {0}, semidominators_ = {0};
    std::vector<size_t> linked_ = {kNowhere}, best_ = {0};
};

// The headers of constructs, by the blocks that end them.
class Constructs {
 public:
    Constructs(const Function& function, const BlockGraph& graph)
        : dominators_(function, graph),
          merges_(function.blocks.size(), kNowhere),
          continues_(function.blocks.size(), kNowhere) {
        for (size_t header = 0; header < function.blocks.size(); ++header) {
            const Instruction* merge = mergeOf(*function.blocks[header]);
            if (merge == nullptr) continue;
            note(merges_, graph.number(merge->word(0)), header);
            if (merge->opcode == OpLoopMerge)
                note(continues_, graph.number(merge->word(1)), header);
        }
    }

    // Whether a construct that has the block ends at `place`.
    bool meets(size_t block, size_t place) const {
        return !dominators_.dominates(place, block) &&
               (has(merges_[place], block) || has(continues_[place], block));
    }

 private:
    static void note(std::vector<size_t>& headers, std::optional<size_t> place, size_t header) {
        if (place) headers[*place] = header;
    }
    bool has(size_t header, size_t block) const {
        return header != kNowhere && dominators_.dominates(header, block);
    }

    const Dominators dominators_;
    std::vector<size_t> merges_, continues_;
};

}  // namespace

Dominators::Dominators(const Function& function, const BlockGraph& graph)
    : ranges_(function.blocks.size()) {
    if (ranges_.empty()) return;
    DominatorTree tree(graph, ranges_.size(), false);
    tree.start(0);
    const std::vector<size_t> above = tree.immediate();
    for (const size_t block : tree.order().subspan(1)) {
        if (above[block] >= block) return;  // malformed: blocks follow those that dominate them
    }
    // The blocks below one get the numbers behind its own.
    std::vector<size_t> below(ranges_.size(), 1);  // with itself
    for (const size_t block : std::views::reverse(tree.order())) {
        if (block != 0) below[above[block]] += below[block];
    }
    std::vector<size_t> next(ranges_.size());
    for (const size_t block : tree.order()) {
        const size_t first = block == 0 ? 0 : next[above[block]];
        ranges_[block] = {first, first + below[block]};
        next[block] = first + 1;
        if (block != 0) next[above[block]] += below[block];
    }
}

std::vector<size_t> postDominators(const BlockGraph& graph, size_t blocks) {
    DominatorTree tree(graph, blocks, true);
    std::vector<size_t> endless;
    for (size_t block = 0; block < blocks; ++block) {
        if (graph.successors(block).empty()) tree.start(block);
    }
    // Those from which no way leads to an end are ends, too.
    for (size_t block = 0; block < blocks; ++block) {
        if (!tree.isReached(block)) endless.push_back(block);
    }
    for (const size_t block : endless) tree.start(block);
    return tree.immediate();
}

std::vector<size_t> blocksBetween(const BlockGraph& graph, size_t block, size_t meets) {
    std::vector<size_t> found, pending(graph.successors(block));
    std::unordered_set<size_t> seen;
    while (!pending.empty()) {
        const size_t next = pending.back();
        pending.pop_back();
        if (next == meets || !seen.insert(next).second) continue;
        found.push_back(next);
        for (const size_t more : graph.successors(next)) pending.push_back(more);
    }
    return found;
}

std::vector<size_t> meetingPlaces(const Function& function, const BlockGraph& graph) {
    const std::vector<size_t> next = postDominators(graph, function.blocks.size());
    const Constructs constructs(function, graph);
    std::vector<size_t> places = next;
    for (size_t block = 0; block < places.size(); ++block) {
        if (graph.successors(block).size() < 2) continue;
        size_t& place = places[block];
        while (place != kNowhere && !constructs.meets(block, place)) place = next[place];
    }
    return places;
}

}  // namespace coopvk::rewrite
