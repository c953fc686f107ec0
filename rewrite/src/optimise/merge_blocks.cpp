// SPDX-License-Identifier: Apache-2.0
#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"
#include "optimise/optimise.hpp"

namespace coopvk::rewrite {

namespace {

class Merging {
 public:
    Merging(Module& module, Function& function, ReplacedValues& replaced)
        : module_(module), function_(function), graph_(function), replaced_(replaced) {}

    void run() {
        for (const auto& block : function_.blocks) {
            const Instruction* merge = mergeOf(*block);
            if (merge == nullptr) continue;
            named_.insert(merge->word(0));
            if (merge->opcode == OpLoopMerge) named_.insert(merge->word(1));
        }
        // By block: the one into which it went.
        std::vector<size_t> into(function_.blocks.size());
        for (size_t b = 0; b < into.size(); ++b) {
            into[b] = b;
            const std::vector<size_t>& ahead = graph_.predecessors(b);
            if (b == 0 || ahead.size() != 1 || ahead[0] >= b) continue;
            Block& first = *function_.blocks[into[ahead[0]]];
            if (!mayJoin(first, *function_.blocks[b])) continue;
            join(first, *function_.blocks[b]);
            into[b] = into[ahead[0]];
        }
        if (gone_.empty()) return;
        rename(into);
        std::erase_if(function_.blocks, [](const auto& block) { return block->body.empty(); });
        replaced_.update(function_);
        module_.forget(gone_);
    }

 private:
    bool mayJoin(const Block& first, const Block& second) const {
        if (first.body.back()->opcode != OpBranch || named_.contains(second.id())) return false;
        // OpLoopMerge is ahead of a branch.
        return mergeOf(first) == nullptr ||
               (isLoopMerge(*first.body[first.body.size() - 2]) && mergeOf(second) == nullptr &&
                isOneOf(second.body.back()->opcode, {OpBranch, OpBranchConditional}));
    }

    static bool isLoopMerge(const Instruction& i) { return i.opcode == OpLoopMerge; }

    void join(Block& first, Block& second) {
        module_.retire(std::move(first.body.back()));
        first.body.pop_back();
        InstructionPtr merge;
        if (!first.body.empty() && isLoopMerge(*first.body.back())) {
            merge = std::move(first.body.back());
            first.body.pop_back();
        }
        endLine(first, second);
        insertAt(first.body, first.body.size(), std::move(second.lead));
        for (InstructionPtr& i : second.body) {
            if (i->opcode == OpPhi && !module_.isDecorated(i->result)) {
                replaced_.replace(i->result, replaced_.of(i->word(0)));
                module_.retire(std::move(i));
                continue;
            }
            if (i->opcode == OpPhi) {  // decorations stay
                i->opcode = OpCopyObject;
                i->operands = {idOperand(i->word(0))};
            }
            first.body.push_back(std::move(i));
        }
        if (merge) first.body.insert(first.body.end() - 1, std::move(merge));
        second.body.clear();
        gone_.push_back(second.id());
        module_.retire(std::move(second.label));
        second.label = nullptr;
    }

    // OpLine ends with its block.
    void endLine(Block& first, const Block& second) {
        const auto isLine = [](const InstructionPtr& i) { return isDebugLine(i->opcode); };
        const auto isInLine = [&](const Block& block) {
            const auto last = std::find_if(block.body.rbegin(), block.body.rend(), isLine);
            if (last != block.body.rend()) return (*last)->opcode == OpLine;
            return !block.lead.empty() && block.lead.back()->opcode == OpLine;
        };
        const auto [found, isNew] = isInLine_.try_emplace(&first);
        bool& isOpen = found->second;
        if (isNew) isOpen = isInLine(first);
        const bool begins = !second.lead.empty() || isLine(second.body.front());
        if (isOpen && !begins) first.body.push_back(makeInstruction(OpNoLine, 0, 0, {}));
        isOpen = isInLine(second);
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
    std::unordered_set<Id> named_;                     // by merge instructions
    std::vector<Id> gone_;                             // labels
    std::unordered_map<const Block*, bool> isInLine_;  // of those that others went into
    ReplacedValues& replaced_;                         // phis of one value
};

}  // namespace

void mergeBlocks(Module& module) {
    ReplacedValues replaced(module);
    for (const auto& function : module.functions()) {
        if (function->blocks.size() > 1) Merging(module, *function, replaced).run();
    }
}

}  // namespace coopvk::rewrite
