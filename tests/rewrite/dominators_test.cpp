// SPDX-License-Identifier: Apache-2.0
#include "ir/dominators.hpp"

#include <gtest/gtest.h>

#include <random>

namespace coopvk::rewrite::dominators_test {
namespace {

using Edges = std::vector<std::vector<size_t>>;

// Block b has the label b + 1.
Function functionOf(const Edges& edges) {
    Function function;
    for (size_t b = 0; b < edges.size(); ++b) {
        auto block = std::make_unique<Block>();
        block->label = makeInstruction(OpLabel, 0, static_cast<Id>(b + 1), {});
        Operands to;
        for (const size_t next : edges[b]) to.push_back(idOperand(static_cast<Id>(next + 1)));
        block->body.push_back(makeInstruction(OpSwitch, 0, 0, std::move(to)));
        function.blocks.push_back(std::move(block));
    }
    return function;
}

// The blocks to which edges lead from one, with it, by ways that do not go through `without`.
std::vector<bool> reached(const Edges& edges, size_t from, size_t without) {
    std::vector<bool> found(edges.size(), false);
    std::vector<size_t> pending = {from};
    while (!pending.empty()) {
        const size_t block = pending.back();
        pending.pop_back();
        if (block == without || found[block]) continue;
        found[block] = true;
        pending.insert(pending.end(), edges[block].begin(), edges[block].end());
    }
    return found;
}

// As the words say it: `a` is on every way from `b` to a block without successors; no way may be
// endless.
bool isOnEveryWayToTheEnd(const Edges& edges, size_t a, size_t b) {
    const std::vector<bool> without = reached(edges, b, a);
    for (size_t block = 0; block < edges.size(); ++block) {
        if (!without[block]) continue;
        // A way leads on without `a`, or never ends.
        const std::vector<bool> all = reached(edges, block, kNowhere);
        bool ends = false;
        for (size_t one = 0; one < edges.size(); ++one) ends |= all[one] && edges[one].empty();
        if (edges[block].empty() || !ends) return false;
    }
    return true;
}

Edges randomEdges(std::mt19937& random, bool onlyForwards) {
    const size_t blocks = 1 + random() % 9;
    Edges edges(blocks);
    for (size_t b = 0; b < blocks; ++b) {
        for (size_t count = random() % 4; count > 0; --count) {
            const size_t to = onlyForwards ? b + 1 + random() % 3 : random() % blocks;
            if (to < blocks) edges[b].push_back(to);
        }
    }
    return edges;
}

std::string textOf(const Edges& edges) {
    std::string text;
    for (size_t b = 0; b < edges.size(); ++b) {
        text += std::to_string(b) + ":";
        for (const size_t to : edges[b]) text += " " + std::to_string(to);
        text += "\n";
    }
    return text;
}

constexpr uint32_t kGraphs = 500;

TEST(PostDominators, AreOnEveryWayToTheEndOfAnyGraph) {
    std::mt19937 random;
    for (uint32_t n = 0; n < kGraphs; ++n) {
        const Edges edges = randomEdges(random, false);
        SCOPED_TRACE(textOf(edges));
        const Function function = functionOf(edges);
        const BlockGraph graph(function);
        const std::vector<size_t> next = postDominators(graph, edges.size());
        for (size_t b = 0; b < edges.size(); ++b) {
            std::vector<bool> above(edges.size(), false);
            for (size_t a = next[b]; a != kNowhere; a = next[a]) above[a] = true;
            for (size_t a = 0; a < edges.size(); ++a) {
                if (a == b) continue;
                EXPECT_EQ(above[a], isOnEveryWayToTheEnd(edges, a, b)) << a << " " << b;
            }
        }
    }
}

TEST(Dominators, AreOnEveryWayFromTheEntryBlock) {
    std::mt19937 random;
    for (uint32_t n = 0; n < kGraphs; ++n) {
        const Edges edges = randomEdges(random, true);
        SCOPED_TRACE(textOf(edges));
        const Function function = functionOf(edges);
        const BlockGraph graph(function);
        const Dominators dominators(function, graph);
        const std::vector<bool> all = reached(edges, 0, kNowhere);
        for (size_t a = 0; a < edges.size(); ++a) {
            const std::vector<bool> without = reached(edges, 0, a);
            for (size_t b = 0; b < edges.size(); ++b) {
                const bool expected = a == b || (all[a] && all[b] && !without[b]);
                EXPECT_EQ(dominators.dominates(a, b), expected) << a << " " << b;
            }
        }
    }
}

// Passes read blocks in order, so that values are known where they are used.
TEST(Dominators, AreUnknownWhereBlocksDoNotFollowTheirDominators) {
    const Function function = functionOf({{2}, {}, {1}});
    const BlockGraph graph(function);
    const Dominators dominators(function, graph);
    EXPECT_FALSE(dominators.dominates(0, 1));
    EXPECT_FALSE(dominators.dominates(2, 1));
}

}  // namespace
}  // namespace coopvk::rewrite::dominators_test
