// SPDX-License-Identifier: Apache-2.0
#include "ir/dominators.hpp"

namespace coopvk::rewrite {

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
    for (bool changes = true; changes;) {
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
}

std::optional<size_t> Dominators::above(size_t block) const {
    if (block == 0 || above_[block] == kNone) return std::nullopt;
    return above_[block];
}

bool Dominators::dominates(size_t a, size_t b) const {
    while (b > a) {
        if (above_[b] == kNone) return false;
        b = above_[b];
    }
    return a == b;
}

}  // namespace coopvk::rewrite
