// SPDX-License-Identifier: Apache-2.0
#include "matrix/slices/segments.hpp"

#include <algorithm>
#include <optional>
#include <ranges>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

bool isLocal(const Module& module, Id pointer) {
    return module.pointee(pointer) != 0 && isPrivate(module.storage(pointer));
}

namespace {

class SegmentFinder {
 public:
    SegmentFinder(const FunctionFacts& facts, const Function& function)
        : facts_(facts), function_(function), graph_(facts.graph(function)) {}

    std::vector<Segment> run() {
        // Inner loops first.
        for (const Loop& loop : std::views::reverse(graph_.loops())) searchLoop(loop);
        search(0, nullptr);
        return std::move(segments_);
    }

 private:
    // Searches the body of a loop, from the first block behind the test of its condition.
    void searchLoop(const Loop& loop) {
        std::optional<size_t> start = loop.header;
        const Instruction* last = function_.blocks[loop.header]->body.back().get();
        if (last->opcode == OpBranch) start = graph_.number(last->word(0));
        if (!start || *start <= loop.header) return;
        last = function_.blocks[*start]->body.back().get();
        if (last->opcode == OpBranchConditional && !mergeOf(*function_.blocks[*start])) {
            if (graph_.number(last->word(2)) == loop.merge)
                start = graph_.number(last->word(1));
            else if (graph_.number(last->word(1)) == loop.merge)
                start = graph_.number(last->word(2));
        }
        if (start && *start > loop.header) search(*start, &loop);
    }

    // The blocks that are executed whenever the first one is, in order, up to the end of the loop.
    std::vector<size_t> chainFrom(size_t first, const Loop* loop) const {
        std::vector<size_t> chain;
        for (std::optional<size_t> at = first; at && (chain.empty() || *at > chain.back());) {
            if (loop != nullptr && isOneOf(*at, {loop->merge, loop->continueTarget})) break;
            chain.push_back(*at);
            const Block& b = *function_.blocks[*at];
            const Instruction* merge = mergeOf(b);
            if (merge == nullptr && b.body.back()->opcode != OpBranch) break;
            at = graph_.number(merge != nullptr ? merge->word(0) : b.body.back()->word(0));
        }
        return chain;
    }

    void search(size_t first, const Loop* loop) {
        const std::vector<size_t> chain = chainFrom(first, loop);
        begin_ = {first, 0};
        end_.reset();
        for (size_t c = 0; c < chain.size(); ++c) {
            const bool last = c + 1 == chain.size();
            walk(chain[c]);
            if (last) break;
            if (mergeOf(*function_.blocks[chain[c]]) != nullptr) {
                construct(chain[c], chain[c + 1]);
            }
        }
        close();
        begin_.reset();
    }

    // Visits the instructions of a block of the chain, up to its merge or terminator.
    void walk(size_t b) {
        const InstructionList& body = function_.blocks[b]->body;
        for (size_t at = 0; at < body.size(); ++at) {
            const Instruction& i = *body[at];
            const bool isAtStart = i.opcode == OpVariable || i.opcode == OpPhi;
            if (isTerminator(i.opcode) || &i == mergeOf(*function_.blocks[b])) return;
            const bool repeats = facts_.mayRepeat(i);
            if (!repeats) close();
            if (isAtStart || !repeats) begin_ = {b, at + 1};
            if (facts_.multiplies(i)) end_ = Position{b, endOfStores(b, at)};
        }
    }

    // The place behind the stores of a product's result in the block.
    size_t endOfStores(size_t b, size_t product) const {
        const InstructionList& body = function_.blocks[b]->body;
        size_t end = product + 1;
        for (size_t at = end; at < body.size(); ++at) {
            if (body[at]->opcode == OpStore && body[at]->word(1) == body[product]->result) {
                end = at + 1;
            }
        }
        return end;
    }

    // Visits the blocks of a construct between its header and its merge block.
    void construct(size_t header, size_t merge) {
        bool repeats = true, multiplies = false;
        for (size_t b = header + 1; b < merge; ++b) {
            for (const InstructionPtr& i : function_.blocks[b]->body) {
                repeats &= facts_.mayRepeat(*i);
                multiplies |= facts_.multiplies(*i);
            }
        }
        if (!repeats) {
            close();
            begin_ = {merge, 0};
        } else if (multiplies) {
            const InstructionList& body = function_.blocks[merge]->body;
            const auto phis = std::ranges::find_if(
                body, [](const InstructionPtr& i) { return i->opcode != OpPhi; });
            end_ = Position{merge, static_cast<size_t>(phis - body.begin())};
        }
    }

    // Ends the segment, if it has a multiply-add.
    void close() {
        if (end_ && begin_) segments_.push_back({*begin_, *end_});
        end_.reset();
    }

    const FunctionFacts& facts_;
    const Function& function_;
    const BlockGraph& graph_;
    std::vector<Segment> segments_;
    std::optional<Position> begin_;
    std::optional<Position> end_;  // behind the last multiply-add so far
};

}  // namespace

std::vector<Segment> findSegments(const FunctionFacts& facts, const Function& function) {
    if (function.blocks.empty()) return {};
    return SegmentFinder(facts, function).run();
}

}  // namespace coopvk::rewrite
