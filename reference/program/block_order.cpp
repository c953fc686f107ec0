// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "program/decoder.hpp"

namespace coopvk::reference {

namespace {

struct Visit {
    uint32_t block = 0;
    size_t next = 0;  // of the block's successors
};

}  // namespace

// A reverse post-order of a depth-first search that goes to merge blocks first, then to continue
// targets.
std::vector<uint32_t> structuredOrder(const std::vector<Outline>& blocks) {
    std::unordered_map<uint32_t, uint32_t> indices;
    for (uint32_t i = 0; i < blocks.size(); ++i) indices[blocks[i].label] = i;
    std::vector<uint32_t> order;
    if (blocks.empty()) return order;
    std::vector<bool> seen(blocks.size());
    std::vector<Visit> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
        Visit& top = stack.back();
        const Outline& block = blocks[top.block];
        const size_t merges = block.merges.size();
        if (top.next == merges + block.targets.size()) {
            order.push_back(top.block);
            stack.pop_back();
            continue;
        }
        const size_t next = top.next++;
        // The first target is visited last, so that it comes first.
        const uint32_t label = next < merges
                                   ? block.merges[next]
                                   : block.targets[block.targets.size() - 1 - (next - merges)];
        const auto found = indices.find(label);
        if (found == indices.end() || seen[found->second]) continue;
        seen[found->second] = true;
        stack.push_back({found->second, 0});
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace coopvk::reference
