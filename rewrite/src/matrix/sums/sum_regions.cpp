// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>

#include "ir/dominators.hpp"
#include "ir/opcodes.hpp"
#include "matrix/sums/sum_types.hpp"

namespace coopvk::rewrite {

std::unordered_set<const Instruction*> SumRegion::instructions() const {
    std::unordered_set<const Instruction*> all;
    for (const size_t b : blocks) {
        const InstructionList& body = function->blocks[b]->body;
        const size_t first = b == begin.block ? begin.at : 0;
        for (size_t at = first; at < body.size(); ++at) all.insert(body[at].get());
    }
    const Block& behind = *function->blocks[merge];
    for (size_t at = 0; at < endOfPhis(behind); ++at) all.insert(behind.body[at].get());
    return all;
}

namespace {

class RegionFinder {
 public:
    RegionFinder(const Module& module, const SumTypes& sums, const BlockGraph& graph,
                 Function& function)
        : function_(function), graph_(graph), dominators_(function, graph) {
        for (const auto& block : function.blocks) {
            Named named;
            for (size_t at = 0; at < block->body.size(); ++at) {
                const Instruction& i = *block->body[at];
                const bool isHere = i.opcode == OpVariable || i.opcode == OpPhi;
                named.whole |= sumAccessOf(module, sums, i) > SumAccess::kWhole;
                if (isHere || sumAccessOf(module, sums, i) > SumAccess::kWhole) named.end = at + 1;
                named.multiplies |= i.opcode == OpCooperativeMatrixMulAddKHR && sums.has(i.type);
            }
            named_.push_back(named);
        }
    }

    std::optional<std::vector<SumRegion>> run() {
        std::vector<SumRegion> regions;
        for (size_t b = function_.blocks.size(); b-- > 0;) {
            const auto hasBlock = [&](const SumRegion& r) { return r.blocks.contains(b); };
            if (!named_[b].multiplies || std::ranges::any_of(regions, hasBlock)) continue;
            const Loop* loop = outermost(b);
            if (loop == nullptr) return std::nullopt;
            std::optional<SumRegion> region = around(*loop);
            if (!region) return std::nullopt;
            regions.push_back(*std::move(region));
        }
        return regions;
    }

 private:
    struct Named {
        bool whole = false;       // an instruction of the block names elements
        bool multiplies = false;  // it adds a product to accumulators
        size_t end = 0;           // behind phis, variables and what names elements
    };

    // The outermost loop around a block in which nothing names elements.
    const Loop* outermost(size_t block) const {
        const Loop* found = nullptr;
        for (const Loop* loop = graph_.loopOf(block); loop != nullptr; loop = loop->around) {
            for (size_t b = 0; b < named_.size(); ++b) {
                if (named_[b].whole && graph_.isInside(*loop, b)) return found;
            }
            found = loop;
        }
        return found;
    }

    // The region of a loop: also what is executed ahead of it, as far back as possible.
    std::optional<SumRegion> around(const Loop& loop) {
        SumRegion region{.function = &function_, .merge = loop.merge};
        region.begin.block = loop.header;
        for (size_t b = 0; b < named_.size(); ++b) {
            if (graph_.isInside(loop, b)) region.blocks.insert(b);
        }
        std::set<size_t> seen;
        for (size_t b = loop.header; b-- > 0;) {
            if (!dominators_.dominates(b, loop.header) || !canBegin(b, loop)) continue;
            if (!follow(b, loop, seen)) break;
            region.begin = {b, named_[b].end};
            region.blocks.insert(seen.begin(), seen.end());
            if (named_[b].whole) break;
        }
        if (region.begin.block == loop.header) return std::nullopt;
        return region;
    }

    bool canBegin(size_t b, const Loop& loop) const {
        return graph_.loopOf(b) == loop.around && !isLoopHeader(*function_.blocks[b]);
    }

    // Adds what is executed from `begin` on, ahead of the loop. False if that may go elsewhere, or
    // names elements.
    bool follow(size_t begin, const Loop& loop, std::set<size_t>& seen) const {
        std::vector<size_t> pending = {begin};
        while (!pending.empty()) {
            const size_t b = pending.back();
            pending.pop_back();
            if (b == loop.header || !seen.insert(b).second) continue;
            const std::vector<size_t>& successors = graph_.successors(b);
            const bool leaves = loop.around != nullptr &&
                                (!graph_.isInside(*loop.around, b) || b == loop.around->header);
            if (leaves || successors.empty() || (b != begin && named_[b].whole)) return false;
            pending.insert(pending.end(), successors.begin(), successors.end());
        }
        return true;
    }

    Function& function_;
    const BlockGraph& graph_;
    const Dominators dominators_;
    std::vector<Named> named_;  // by block
};

}  // namespace

std::optional<std::vector<SumRegion>> sumRegions(const Module& module, const SumTypes& sums,
                                                 const BlockGraph& graph, Function& function) {
    return RegionFinder(module, sums, graph, function).run();
}

}  // namespace coopvk::rewrite
