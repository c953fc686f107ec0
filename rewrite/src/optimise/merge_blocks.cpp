// SPDX-License-Identifier: Apache-2.0
#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"
#include "optimise/optimise.hpp"

namespace coopvk::rewrite {

namespace {

class Merging {
 public:
    Merging(Module& module, Function& function)
        : module_(module), function_(function), graph_(function) {}

    void run() {
        for (const auto& block : function_.blocks) {
            const Instruction* merge = mergeOf(*block);
            if (merge == nullptr) continue;
            named_.insert(merge->word(0));
            if (merge->opcode == OpLoopMerge) named_.insert(merge->word(1));
        }
        // By block: the one into which it went.
        std::vector<size_t> into(function_.blocks.size());
        bool isChanged = false;
        for (size_t b = 0; b < into.size(); ++b) {
            into[b] = b;
            const std::vector<size_t>& ahead = graph_.predecessors(b);
            if (b == 0 || ahead.size() != 1 || ahead[0] >= b) continue;
            Block& first = *function_.blocks[into[ahead[0]]];
            if (!mayJoin(first, *function_.blocks[b])) continue;
            join(first, *function_.blocks[b]);
            into[b] = into[ahead[0]];
            isChanged = true;
        }
        if (!isChanged) return;
        rename(into);
        std::erase_if(function_.blocks, [&](const auto& block) { return block->body.empty(); });
        replaced_.update(module_, function_);
        module_.forget(gone_);
    }

 private:
    bool mayJoin(const Block& first, const Block& second) const {
        const Instruction& end = *first.body.back();
        if (end.opcode != OpBranch || named_.contains(second.id())) return false;
        // OpLoopMerge is ahead of a branch.
        return mergeOf(first) == nullptr ||
               (first.body[first.body.size() - 2]->opcode == OpLoopMerge &&
                mergeOf(second) == nullptr &&
                isOneOf(second.body.back()->opcode, {OpBranch, OpBranchConditional}));
    }

    static bool isLoopMerge(const InstructionList& body) {
        return !body.empty() && body.back()->opcode == OpLoopMerge;
    }

    void join(Block& first, Block& second) {
        module_.retire(std::move(first.body.back()));
        first.body.pop_back();
        InstructionList merge;
        if (mergeOf(second) == nullptr && isLoopMerge(first.body)) {
            merge.push_back(std::move(first.body.back()));
            first.body.pop_back();
        }
        insertAt(first.body, first.body.size(), std::move(second.lead));
        for (InstructionPtr& i : second.body) {
            if (i->opcode == OpPhi) {
                replaced_.replace(i->result, i->word(0));
                module_.retire(std::move(i));
            } else {
                first.body.push_back(std::move(i));
            }
        }
        insertAt(first.body, first.body.size() - 1, std::move(merge));
        second.body.clear();
        gone_.insert(second.id());
        module_.retire(std::move(second.label));
        second.label = nullptr;
    }

    // In phis, the blocks that are left in place of those that went into them.
    void rename(const std::vector<size_t>& into) {
        function_.visitBlocks([&](Instruction& i) {
            if (i.opcode != OpPhi) return;
            for (size_t o = 1; o < i.operands.size(); o += 2) {
                if (const auto number = graph_.number(i.word(o)))
                    i.operands[o].word = function_.blocks[into[*number]]->id();
            }
        });
    }

    Module& module_;
    Function& function_;
    const BlockGraph graph_;
    std::unordered_set<Id> named_;  // by merge instructions
    std::unordered_set<Id> gone_;
    ReplacedValues replaced_;  // phis of one value
};

}  // namespace

void mergeBlocks(Module& module, Function& function) {
    if (function.blocks.size() > 1) Merging(module, function).run();
}

}  // namespace coopvk::rewrite
