// SPDX-License-Identifier: Apache-2.0
#include "subgroups/post_dominators.hpp"

#include <ranges>

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

}  // namespace

std::vector<size_t> postDominators(const BlockGraph& graph, size_t blocks) {
    return PostDominators(graph, blocks).take();
}

}  // namespace coopvk::rewrite
