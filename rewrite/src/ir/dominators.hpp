// SPDX-License-Identifier: Apache-2.0
//
// Which blocks of a function are on every way to another block.
#pragma once

#include "ir/blocks.hpp"

namespace coopvk::rewrite {

// Valid as long as the graph is.
class Dominators {
 public:
    Dominators(const Function& function, const BlockGraph& graph);

    // The last block on every way to a block, other than that block; nullopt for the entry block
    // and for blocks that no way leads to. Its number is lower.
    std::optional<size_t> above(size_t block) const;
    // Whether `a` is on every way to `b`, or is `b`.
    bool dominates(size_t a, size_t b) const;

 private:
    static constexpr size_t kNone = ~size_t{0};

    std::vector<size_t> above_;  // the entry block has itself
};

}  // namespace coopvk::rewrite
