// SPDX-License-Identifier: Apache-2.0
#include "ir/post_dominators.hpp"

#include <ranges>
#include <unordered_set>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// By the reversed graph (Cooper, Harvey, Kennedy: A Simple, Fast Dominance
// Algorithm).
class PostDominators {
 public:
    PostDominators(const BlockGraph& graph, size_t blocks)
        : graph_(graph), order_(blocks, kNowhere), found_(blocks, kUnknown) {
        numberFromExits(blocks);
        bool changed = true;
        while (changed) {
            changed = false;
            for (const size_t block : std::views::reverse(postorder_)) {
                const size_t meets = meetOf(block);
                changed |= std::exchange(found_[block], meets) != meets;
            }
        }
        for (size_t& block : found_) block = block == kUnknown ? kNowhere : block;
    }
    std::vector<size_t> take() { return std::move(found_); }

 private:
    static constexpr size_t kUnknown = kNowhere - 1;

    // In the order in which a depth-first search from the exits leaves blocks.
    void numberFromExits(size_t blocks) {
        std::vector<bool> seen(blocks, false);
        std::vector<std::pair<size_t, size_t>> stack;
        for (size_t exit = 0; exit < blocks; ++exit) {
            if (!graph_.successors(exit).empty()) continue;
            seen[exit] = true;
            stack.push_back({exit, 0});
            while (!stack.empty()) {
                auto& [block, next] = stack.back();
                if (next == graph_.predecessors(block).size()) {
                    order_[block] = postorder_.size();
                    postorder_.push_back(block);
                    stack.pop_back();
                    continue;
                }
                const size_t before = graph_.predecessors(block)[next++];
                if (seen[before]) continue;
                seen[before] = true;
                stack.push_back({before, 0});
            }
        }
    }

    size_t meetOf(size_t block) const {
        if (graph_.successors(block).empty()) return kNowhere;
        size_t meets = kUnknown;
        for (const size_t next : graph_.successors(block)) {
            if (order_[next] == kNowhere) return kNowhere;  // it may run forever
            if (found_[next] == kUnknown && !graph_.successors(next).empty()) continue;
            meets = meets == kUnknown ? next : intersect(meets, next);
        }
        return meets;
    }

    size_t intersect(size_t a, size_t b) const {
        while (a != b) {
            if (a == kNowhere || b == kNowhere) return kNowhere;
            size_t& lower = order_[a] < order_[b] ? a : b;
            lower = found_[lower];
        }
        return a;
    }

    const BlockGraph& graph_;
    std::vector<size_t> postorder_, order_;
    std::vector<size_t> found_;
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

std::vector<size_t> postDominators(const BlockGraph& graph, size_t blocks) {
    return PostDominators(graph, blocks).take();
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
