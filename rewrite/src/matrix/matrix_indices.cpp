// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_indices.hpp"

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// From a value to what is computed of it, or to the variable to which it is stored.
struct Flow {
    Id from = 0;
    Id to = 0;            // 0: it is an index to a matrix
    size_t storedAt = 0;  // of a store: the number of its block, plus one
};

// The values from which an index to a matrix is computed, by the flows that were added.
class IndexSources {
 public:
    bool contains(Id value) const { return found_.contains(value); }
    // Of the stores to these variables: the last one's Flow::storedAt.
    size_t lastStore() const { return lastStore_; }

    void add(const Flow& flow) {
        if (flow.storedAt != 0) addStore(flow);
        if (flow.to == 0 || contains(flow.to)) {
            insert(flow.from);
        } else {
            sources_[flow.to].push_back(flow.from);
        }
    }

 private:
    void addStore(const Flow& flow) {
        size_t& last = contains(flow.to) ? lastStore_ : stores_[flow.to];
        last = std::max(last, flow.storedAt);
    }

    void insert(Id value) {
        std::vector<Id> pending = {value};
        while (!pending.empty()) {
            const Id one = pending.back();
            pending.pop_back();
            if (!found_.insert(one).second) continue;
            const auto store = stores_.extract(one);
            if (!store.empty()) lastStore_ = std::max(lastStore_, store.mapped());
            const auto sources = sources_.extract(one);
            if (!sources.empty()) std::ranges::copy(sources.mapped(), std::back_inserter(pending));
        }
    }

    std::unordered_set<Id> found_;
    // Of those that are not found.
    std::unordered_map<Id, std::vector<Id>> sources_;
    std::unordered_map<Id, size_t> stores_;
    size_t lastStore_ = 0;
};

// A loop has the flows of the loops in it, so what was found for one of those counts for it, too.
// It goes on from the one with the most flows, and adds those of the others again: so a flow is
// added once for each doubling of a loop, however deep it is in loops.
class PickingLoops {
 public:
    PickingLoops(const Module& module, MatrixCounts& matrices, const Function& function,
                 const BlockGraph& graph)
        : module_(module),
          matrices_(matrices),
          function_(function),
          graph_(graph),
          flows_(graph.loops().size()),
          before_(graph.loops().size() + 1),
          largest_(graph.loops().size()) {
        findFlows();
        findLargest();
    }

    std::vector<bool> find() {
        std::vector<bool> picks(graph_.loops().size());
        for (const Loop& loop : graph_.loops()) {
            if (loop.around != nullptr && largest_[loop.around->first] == &loop) continue;
            std::vector<const Loop*> chain;  // from this loop inward
            for (const Loop* l = &loop; l != nullptr; l = largest_[l->first]) chain.push_back(l);
            IndexSources sources;
            for (const Loop* l : std::views::reverse(chain)) {
                const Loop* const done = largest_[l->first];
                addFlows(l->first, done == nullptr ? l->end : done->first, sources);
                if (done != nullptr) addFlows(done->end, l->end, sources);
                picks[static_cast<size_t>(l - graph_.loops().data())] = isPickedBy(*l, sources);
            }
        }
        return picks;
    }

 private:
    // Flows are by the number of the innermost loop.
    void findFlows() {
        for (size_t b = 0; b < function_.blocks.size(); ++b) {
            const Loop* const loop = graph_.loopOf(b);
            if (loop == nullptr) continue;
            for (const InstructionPtr& i : function_.blocks[b]->body)
                addFlowsOf(*i, b, loop->first);
        }
        for (size_t l = 0; l < flows_.size(); ++l) before_[l + 1] = before_[l] + flows_[l].size();
    }

    void findLargest() {
        const auto size = [&](const Loop& loop) { return before_[loop.end] - before_[loop.first]; };
        for (const Loop& loop : std::views::reverse(graph_.loops())) {
            if (loop.around == nullptr) continue;
            const Loop*& largest = largest_[loop.around->first];
            if (largest == nullptr || size(loop) > size(*largest)) largest = &loop;
        }
    }

    void addFlowsOf(const Instruction& i, size_t block, size_t loop) {
        const bool isStore = i.opcode == OpStore;
        const bool picks = isAccessChain(i.opcode) && containsMatrix(module_.def(i.word(0)).type);
        Id to = isStore ? i.word(0) : i.result;
        if (to != 0 && containsMatrix(module_.def(to).type)) to = 0;
        for (size_t o = isStore ? 1 : 0; o < i.operands.size(); ++o) {
            const bool isIndex = picks && o >= 1;
            if (i.operands[o].isId && (isIndex || to != 0))
                flows_[loop].push_back({i.word(o), isIndex ? Id{0} : to, isStore ? block + 1 : 0});
        }
    }

    void addFlows(size_t loop, size_t end, IndexSources& sources) const {
        module_.countSteps(before_[end] - before_[loop]);
        for (; loop < end; ++loop)
            for (const Flow& flow : flows_[loop]) sources.add(flow);
    }

    bool isPickedBy(const Loop& loop, const IndexSources& sources) const {
        for (const InstructionPtr& i : function_.blocks[loop.header]->body)
            if (i->opcode == OpPhi && sources.contains(i->result)) return true;
        return sources.lastStore() > loop.continueTarget;
    }

    bool containsMatrix(Id type) const { return matrices_.in(type) != 0; }

    const Module& module_;
    MatrixCounts& matrices_;
    const Function& function_;
    const BlockGraph& graph_;
    // By the number of a loop, Loop::first.
    std::vector<std::vector<Flow>> flows_;
    std::vector<size_t> before_;        // flows of loops with lower numbers
    std::vector<const Loop*> largest_;  // of the loops in it: that with the most flows
};

}  // namespace

std::vector<bool> loopsThatPickMatrices(const Module& module, MatrixCounts& matrices,
                                        const Function& function, const BlockGraph& graph) {
    return PickingLoops(module, matrices, function, graph).find();
}

}  // namespace coopvk::rewrite
