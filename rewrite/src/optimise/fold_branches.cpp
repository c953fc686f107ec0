// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"
#include "optimise/optimise.hpp"

namespace coopvk::rewrite {

namespace {

Id knownCase(const Module& module, const Instruction& i) {
    const std::optional<uint64_t> value = module.constantValue(i.word(0));
    if (!value) return 0;
    uint64_t one = 0, bits = 0;  // of literals, lower words first
    for (const Operand& o : operandsBehind(i, 2)) {
        if (!o.isId) {
            one |= uint64_t{o.word} << bits;
            bits += 32;
        } else {
            const uint64_t mask = bits > 32 ? ~uint64_t{0} : 0xffffffff;
            if (one == (*value & mask)) return o.word;
            one = bits = 0;
        }
    }
    return i.word(1);
}

// The blocks of a function that only branch to another one, and those that have phis.
class EmptyBlocks {
 public:
    explicit EmptyBlocks(const Function& function) {
        for (const auto& block : function.blocks) {
            const Instruction& first = *block->body.front();
            if (first.opcode == OpBranch) targets_[block->id()] = first.word(0);
            const auto phis = std::span(block->body).first(endOfPhis(*block));
            if (std::ranges::any_of(phis, [](const auto& i) { return i->opcode == OpPhi; }))
                phis_.insert(block->id());
        }
    }
    // Where a selection leads that does nothing in either case.
    Id endOf(const Block& block) const {
        const Instruction& end = *block.body.back();
        const Instruction* merge = mergeOf(block);
        if (end.opcode != OpBranchConditional || merge == nullptr) return 0;
        const Id meets = merge->word(0);
        const auto leadsThere = [&](Id label) {
            const auto found = targets_.find(label);
            return label == meets || (found != targets_.end() && found->second == meets);
        };
        const bool isEmpty = leadsThere(end.word(1)) && leadsThere(end.word(2));
        return isEmpty && merge->opcode == OpSelectionMerge && !phis_.contains(meets) ? meets : 0;
    }

 private:
    std::unordered_map<Id, Id> targets_;
    std::unordered_set<Id> phis_;
};

// The only label to which a block leads, although its branch names others; 0: there is none.
Id knownTarget(const Module& module, const EmptyBlocks& empty, const Block& block) {
    if (const Id meets = empty.endOf(block)) return meets;
    const Instruction& end = *block.body.back();
    if (end.opcode == OpSwitch) return knownCase(module, end);
    if (end.opcode != OpBranchConditional) return 0;
    if (end.word(1) == end.word(2)) return end.word(1);
    const std::optional<bool> condition = module.constantBool(end.word(0));
    return condition ? end.word(*condition ? 1 : 2) : 0;
}

// So many at most are looked at behind a branch.
constexpr size_t kMostBlocks = 256;

class Folding {
 public:
    Folding(Module& module, Function& function)
        : module_(module),
          function_(function),
          graph_(function),
          targets_(function.blocks.size(), kNone),
          executed_(function.blocks.size()) {}

    bool run(const EmptyBlocks& empty) {
        for (size_t b = 0; b < targets_.size(); ++b)
            targets_[b] = graph_.number(knownTarget(module_, empty, block(b))).value_or(kNone);
        do findExecuted();
        while (keepNeeded());
        const auto isKnown = [](size_t target) { return target != kNone; };
        if (std::ranges::none_of(targets_, isKnown)) return false;
        for (size_t b = 0; b < targets_.size(); ++b) {
            if (!executed_[b]) continue;
            if (targets_[b] != kNone) branch(b);
            dropLoop(b);
        }
        for (size_t b = 0; b < targets_.size(); ++b) {
            if (executed_[b]) keepNamed(b);
        }
        for (size_t b = 0; b < targets_.size(); ++b) executed_[b] ? updatePhis(b) : remove(b);
        order();
        module_.forget(gone_);
        return true;
    }

 private:
    static constexpr size_t kNone = ~size_t{0};

    Block& block(size_t b) const { return *function_.blocks[b]; }

    std::vector<size_t> followers(size_t b) const {
        return targets_[b] != kNone ? std::vector{targets_[b]} : graph_.successors(b);
    }

    void findExecuted() {
        executed_.assign(executed_.size(), false);
        std::vector<size_t> pending = {0};
        while (!pending.empty()) {
            const size_t b = pending.back();
            pending.pop_back();
            module_.countSteps(1);
            if (executed_[b]) continue;
            executed_[b] = true;
            const std::vector<size_t> next = followers(b);
            pending.insert(pending.end(), next.begin(), next.end());
        }
    }

    // Where constructs in a selection branch to its merge block, they need its merge instruction:
    // its branch stays. Whether there was one.
    bool keepNeeded() {
        bool isAny = false;
        for (size_t b = 0; b < targets_.size(); ++b) {
            if (!executed_[b] || targets_[b] == kNone) continue;
            const Instruction* merge = mergeOf(block(b));
            const bool isNeeded = merge != nullptr && merge->opcode == OpSelectionMerge &&
                                  !leadsSimplyTo(b, targets_[b], merge->word(0));
            if (isNeeded) targets_[b] = kNone;
            isAny |= isNeeded;
        }
        for (const Loop& loop : graph_.loops()) isAny |= keepBackEdge(loop);
        return isAny;
    }

    // A continue target must lead to the header.
    bool keepBackEdge(const Loop& loop) {
        const auto& ahead = graph_.predecessors(loop.header);
        const bool isKept = std::ranges::any_of(
            ahead, [&](size_t b) { return graph_.isInside(loop, b) && leads(b, loop.header); });
        if (isKept || !executed_[loop.header] || !executed_[loop.continueTarget]) return false;
        module_.countSteps(loop.last - std::min(loop.last, loop.continueTarget));
        bool isAny = false;
        for (size_t b = loop.continueTarget; b <= loop.last; ++b) {
            if (targets_[b] == kNone || !graph_.isInside(loop, b)) continue;
            targets_[b] = kNone;
            isAny = true;
        }
        return isAny;
    }

    std::optional<size_t> next(size_t b) const {
        if (targets_[b] != kNone) return targets_[b];
        if (const Instruction* merge = mergeOf(block(b))) return graph_.number(merge->word(0));
        const std::vector<size_t>& all = graph_.successors(b);
        return all.size() == 1 ? std::optional(all[0]) : std::nullopt;
    }

    // Whether nothing that a block leads to branches to a merge block out of a construct.
    bool leadsSimplyTo(size_t header, size_t from, Id label) const {
        const std::optional<size_t> merge = graph_.number(label);
        if (!merge) return false;
        std::vector<size_t> ahead = graph_.predecessors(*merge);
        std::erase_if(ahead, [&](size_t b) { return b == header || !leads(b, *merge); });
        if (ahead.empty()) return true;
        std::unordered_set<size_t> way;
        for (std::optional<size_t> at = from; at && *at != *merge && way.size() < kMostBlocks;) {
            if (!way.insert(*at).second) break;
            at = next(*at);
        }
        module_.countSteps(way.size());
        return std::ranges::all_of(ahead, [&](size_t b) {
            return way.contains(b) && (targets_[b] != kNone || graph_.successors(b).size() == 1);
        });
    }

    void takeMerge(size_t b) {
        InstructionList& body = block(b).body;
        const Instruction* merge = mergeOf(block(b));
        module_.takeOut(body, [&](const Instruction& i) { return &i == merge; });
    }

    void branch(size_t b) {
        const Instruction* merge = mergeOf(block(b));
        if (merge != nullptr && merge->opcode == OpSelectionMerge) takeMerge(b);
        Instruction& end = *block(b).body.back();
        end.opcode = OpBranch;
        end.operands = {idOperand(block(targets_[b]).id())};
    }

    // A loop whose continue target is never executed is none.
    void dropLoop(size_t b) {
        const Instruction* merge = mergeOf(block(b));
        if (merge == nullptr || merge->opcode != OpLoopMerge) return;
        const std::optional<size_t> again = graph_.number(merge->word(1));
        const Instruction& end = *block(b).body.back();
        if (!again || executed_[*again] || end.opcode != OpBranch) return;
        const std::optional<size_t> to = graph_.number(end.word(0));
        if (to && leadsSimplyTo(b, *to, merge->word(0))) takeMerge(b);
    }

    // Merge instructions name blocks that are never executed.
    void keepNamed(size_t b) {
        const Instruction* merge = mergeOf(block(b));
        if (merge == nullptr) return;
        for (size_t o = 0; o < (merge->opcode == OpLoopMerge ? 2 : 1); ++o) {
            const std::optional<size_t> named = graph_.number(merge->word(o));
            if (!named || executed_[*named]) continue;
            if (o == 1)
                named_[*named] = b;
            else
                named_.try_emplace(*named, kNone);
        }
    }

    void remove(size_t b) {
        InstructionList& body = block(b).body;
        const auto header = named_.find(b);
        const bool isKept = header != named_.end();
        for (InstructionPtr& i : body) {
            if (i->result != 0) gone_.push_back(i->result);
            module_.retire(std::move(i));
        }
        body.clear();
        if (!isKept) {
            gone_.push_back(block(b).id());
            module_.retire(std::move(block(b).label));
        } else if (header->second == kNone) {
            body.push_back(makeInstruction(OpUnreachable, 0, 0, {}));
        } else {
            body.push_back(
                makeInstruction(OpBranch, 0, 0, {idOperand(block(header->second).id())}));
        }
    }

    bool leads(size_t from, size_t to) const {
        return executed_[from] && (targets_[from] == kNone || targets_[from] == to);
    }

    void updatePhis(size_t b) {
        const Instruction* merge = mergeOf(block(b));
        const std::optional<size_t> again = merge != nullptr && merge->opcode == OpLoopMerge
                                                ? graph_.number(merge->word(1))
                                                : std::nullopt;
        for (const InstructionPtr& i : block(b).body) {
            if (i->opcode != OpPhi) continue;
            Operands left;
            for (size_t o = 0; o + 1 < i->operands.size(); o += 2) {
                const std::optional<size_t> from = graph_.number(i->word(o + 1));
                if (from && leads(*from, b)) append(left, {i->operands[o], i->operands[o + 1]});
            }
            if (again && !executed_[*again])
                append(left, {idOperand(i->result), idOperand(block(*again).id())});
            i->operands = std::move(left);
        }
    }

    // Blocks are behind those that dominate them: behind one of those that lead to them.
    void order() {
        std::vector<std::unique_ptr<Block>> old = std::move(function_.blocks);
        std::vector<bool> hasWay(old.size());
        std::vector<size_t> pending;
        const auto place = [&](size_t first) {
            pending.push_back(first);
            while (!pending.empty()) {
                const size_t b = pending.back();
                pending.pop_back();
                if (old[b] == nullptr) continue;
                function_.blocks.push_back(std::move(old[b]));
                if (!executed_[b]) continue;  // it leads nowhere
                for (const size_t to : followers(b)) {
                    hasWay[to] = true;
                    if (to < first) pending.push_back(to);  // it waits
                }
            }
        };
        for (size_t b = 0; b < old.size(); ++b) {
            if (old[b] == nullptr) continue;
            if (old[b]->label == nullptr) {
                old[b] = nullptr;
            } else if (b == 0 || hasWay[b] || !executed_[b]) {
                place(b);
            }
        }
    }

    Module& module_;
    Function& function_;
    const BlockGraph graph_;
    std::vector<size_t> targets_;  // by block: the only one to which it leads
    std::vector<bool> executed_;
    // Of those that stay although nothing executes them: the header to which they lead.
    std::unordered_map<size_t, size_t> named_;
    std::vector<Id> gone_;
};

}  // namespace

bool foldBranches(Module& module) {
    bool isChanged = false;
    for (const auto& function : module.functions()) {
        if (function->blocks.size() < 2) continue;
        const EmptyBlocks empty(*function);
        const bool isAny = std::ranges::any_of(function->blocks, [&](const auto& block) {
            return knownTarget(module, empty, *block) != 0;
        });
        if (isAny) isChanged |= Folding(module, *function).run(empty);
    }
    return isChanged;
}

}  // namespace coopvk::rewrite
