// SPDX-License-Identifier: Apache-2.0
//
// Which blocks of a function are on every way to another block (dominators), and on every way from
// one to the end (post-dominators): the same of the reversed graph.
#pragma once

#include <vector>

#include "ir/blocks.hpp"

namespace coopvk::rewrite {

inline constexpr size_t kNowhere = ~size_t{0};  // behind the end of the function

// Valid as long as the graph is.
class Dominators {
 public:
    Dominators(const Function& function, const BlockGraph& graph);

    // Whether `a` is on every way to `b`, or is `b`.
    bool dominates(size_t a, size_t b) const {
        const auto [first, end] = ranges_[a];
        return a == b || (ranges_[b].first >= first && ranges_[b].first < end);
    }

 private:
    // By block: of its number in the tree of dominators, and of those below it. Blocks that are
    // not reached have none, nor has any block of a malformed function.
    struct Range {
        size_t first = kNowhere, end = kNowhere;
    };
    std::vector<Range> ranges_;
};

// The immediate post-dominator of each block: the first one that is on all ways from it to the end.
// kNowhere: only the end is; also of blocks that may never get there.
std::vector<size_t> postDominators(const BlockGraph& graph, size_t blocks);

// The blocks on all ways from the end of a block up to `meets`, which is none of them.
std::vector<size_t> blocksBetween(const BlockGraph& graph, size_t block, size_t meets);

// Where invocations that part at the end of a block are together again: of its post-dominators the
// first one that is the merge block or the continue target of a construct with the block. Nothing
// says that they meet elsewhere, as at a case of a switch to which others fall through. Known of
// blocks with several successors.
std::vector<size_t> meetingPlaces(const Function& function, const BlockGraph& graph);

}  // namespace coopvk::rewrite
