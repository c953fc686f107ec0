// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/blocks.hpp"
#include "ir/cloner.hpp"
#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "matrix/equal_code.hpp"
#include "matrix/product_loops.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

std::vector<const Instruction*> decorationsOf(const Module& module, Id id) {
    std::vector<const Instruction*> found;
    for (const Instruction* i : module.annotationsOf(id)) {
        if (i->opcode != OpName && i->opcode != OpNop) found.push_back(i);
    }
    return found;
}

// Whether annotations of two ids say the same.
bool sayTheSame(const Instruction* a, const Instruction* b) {
    return a->opcode == b->opcode &&
           std::ranges::equal(operandsBehind(*a, 1), operandsBehind(*b, 1));
}

}  // namespace

bool Counterparts::areAlike(const Instruction& a, const Instruction& b) const {
    const auto fits = [](const Operand& x, const Operand& y) {
        return x.isId == y.isId && (x.isId || x.word == y.word);
    };
    return a.opcode == b.opcode && a.type == b.type && (a.result == 0) == (b.result == 0) &&
           std::ranges::equal(a.operands, b.operands, fits) &&
           std::ranges::equal(decorationsOf(module_, a.result), decorationsOf(module_, b.result),
                              sayTheSame);
}

bool Counterparts::areEqual(const Instruction& a, const Instruction& b) const {
    const auto corresponds = [&](const Operand& x, const Operand& y) {
        return !x.isId || areSame(x.word, y.word);
    };
    return areAlike(a, b) && std::ranges::equal(a.operands, b.operands, corresponds);
}

namespace {

// The two blocks to which a selection leads, and the one behind both.
struct Branches {
    Block *first, *second, *behind;
};

std::optional<Branches> branchesOf(const Function& function, const BlockGraph& graph,
                                   const Block& selection) {
    const Instruction *merge = mergeOf(selection), &branch = *selection.body.back();
    if (merge == nullptr || merge->opcode != OpSelectionMerge ||
        branch.opcode != OpBranchConditional || branch.word(1) == branch.word(2)) {
        return std::nullopt;
    }
    const auto oneOf = [&](Id label) -> Block* {
        const auto number = graph.number(label);
        if (!number || graph.predecessors(*number).size() != 1) return nullptr;
        Block& block = *function.blocks[*number];
        const Instruction& end = *block.body.back();
        const bool leadsBehind = end.opcode == OpBranch && end.word(0) == merge->word(0);
        return leadsBehind && mergeOf(block) == nullptr ? &block : nullptr;
    };
    const auto behind = graph.number(merge->word(0));
    Block *first = oneOf(branch.word(1)), *second = oneOf(branch.word(2));
    if (!behind || !first || !second || graph.predecessors(*behind).size() != 2) {
        return std::nullopt;
    }
    return Branches{first, second, function.blocks[*behind].get()};
}

// Whether constants among the operands may be other values: not layouts, scopes, numbers of
// members, and so on.
bool takesVariables(const Module& module, const Instruction& i) {
    const bool namesNumbers = firstChainIndex(i.opcode) != 0 || isTensorValue(i.opcode);
    return i.opcode == OpCooperativeMatrixMulAddKHR ||
           (isPure(effectsOf(module, i)) && !namesNumbers) ||
           (i.opcode == OpStore && i.operands.size() == 2);
}

// Loads stay with what stands ahead of them, so that they share a branch.
bool mayMove(const Module& module, const Instruction& i) {
    return (effectsOf(module, i) & (kStands | kLoadsMatrix)) == 0;
}

class Tail {
 public:
    Tail(TypeTable& types, const Branches& branches)
        : types_(types),
          module_(types.module()),
          branches_(branches),
          equal_(module_),
          joined_(module_) {
        for (const InstructionPtr& i : branches.behind->body) {
            if (i->opcode == OpPhi) use(pairOf(*i));
        }
    }

    // Whether both blocks end with the same product, and perhaps more.
    bool find() {
        const InstructionList &first = branches_.first->body, &second = branches_.second->body;
        bool multiplies = false;
        for (size_t count = 1; count < std::min(first.size(), second.size()); ++count) {
            const Instruction& i = *first[first.size() - 1 - count];
            if (!take(i, *second[second.size() - 1 - count])) break;
            multiplies |= i.opcode == OpCooperativeMatrixMulAddKHR;
            if (multiplies && pointers_.empty()) count_ = count;
        }
        return count_ != 0;
    }

    // Moves it. Adds what the moved values replace, and what is gone.
    void move(std::map<Id, Id>& replaced, std::unordered_set<Id>& gone) {
        InstructionList tail = takeEnd(*branches_.first), phis;
        InstructionList other = takeEnd(*branches_.second);
        std::set<Id> moved;
        for (const InstructionPtr& i : tail) moved.insert(i->result);
        InstructionList& behind = branches_.behind->body;
        for (const InstructionPtr& i : behind) {
            if (i->opcode == OpPhi && moved.contains(pairOf(*i).first)) {
                replaced[i->result] = pairOf(*i).first;
            }
        }
        for (const Id id : module_.takeOut(
                 behind, [&](const Instruction& i) { return replaced.contains(i.result); })) {
            gone.insert(id);
        }
        joinOperands(tail, other, moved, phis);
        for (size_t at = 0; at < other.size(); ++at) {
            // Blocks that cannot be reached may use it.
            if (tail[at]->result != 0) replaced[other[at]->result] = tail[at]->result;
            gone.insert(other[at]->result);
            module_.retire(std::move(other[at]));
        }
        insertAt(behind, endOfPhis(*branches_.behind), std::move(tail));
        insertAt(behind, 0, std::move(phis));
    }

 private:
    using Pair = std::pair<Id, Id>;  // a value in the first block, and that in the second one

    Pair pairOf(const Instruction& phi) const {
        const bool isFirst = phi.word(1) == branches_.first->id();
        return {phi.word(isFirst ? 0 : 2), phi.word(isFirst ? 2 : 0)};
    }

    bool isPointer(Id value) const {
        return isPointerType(module_.def(module_.def(value).type).opcode);
    }

    // Whether a phi may join two operands of an instruction, or one further up give both.
    bool mayJoin(const Pair& pair, const Instruction& user) {
        const Instruction &one = module_.def(pair.first), &other = module_.def(pair.second);
        if (one.opcode == OpFunction || other.opcode == OpFunction) return false;
        if (isDeclaration(one) && isDeclaration(other) && !takesVariables(module_, user))
            return false;
        return one.type == other.type && (joined_.has(one.type) || isPointer(one.result));
    }

    void use(const Pair& pair) {
        const auto note = [](std::unordered_map<Id, Id>& others, Id one, Id other) {
            Id& known = others.try_emplace(one, other).first->second;
            if (known != other) known = 0;
        };
        note(seconds_, pair.first, pair.second);
        note(firsts_, pair.second, pair.first);
    }

    // Whether what is taken so far uses each of two values only where it uses the other one, too.
    bool areOnlyUsedTogether(const Pair& pair) const {
        const auto fits = [](const std::unordered_map<Id, Id>& others, Id one, Id other) {
            const auto found = others.find(one);
            return found == others.end() || found->second == other;
        };
        return fits(seconds_, pair.first, pair.second) && fits(firsts_, pair.second, pair.first);
    }

    // Takes one more instruction of each block, from the end.
    bool take(const Instruction& a, const Instruction& b) {
        if (!mayMove(module_, a) || !equal_.areAlike(a, b)) return false;
        const Pair results = {a.result, b.result};
        if (a.result != 0 && !areOnlyUsedTogether(results)) return false;
        std::set<Pair> needed;
        for (size_t o = 0; o < a.operands.size(); ++o) {
            const Pair pair = {a.word(o), b.word(o)};
            if (!a.operands[o].isId || pair.first == pair.second) continue;
            if (!mayJoin(pair, a)) return false;
            needed.insert(pair);
        }
        pointers_.erase(results);
        for (const Pair& pair : needed) {
            use(pair);
            if (isPointer(pair.first)) pointers_.insert(pair);
        }
        return true;
    }

    InstructionList takeEnd(Block& block) const {
        InstructionPtr branch = std::move(block.body.back());
        block.body.pop_back();
        InstructionList end = takeFrom(block.body, block.body.size() - count_);
        block.body.push_back(std::move(branch));
        return end;
    }

    // Puts phis in place of operands that are different in both blocks.
    void joinOperands(InstructionList& tail, const InstructionList& other,
                      const std::set<Id>& moved, InstructionList& phis) {
        std::map<Pair, Id> joined;
        Emitter emit(types_, phis);
        for (size_t at = 0; at < tail.size(); ++at) {
            for (size_t o = 0; o < tail[at]->operands.size(); ++o) {
                Operand& operand = tail[at]->operands[o];
                const Pair pair = {operand.word, other[at]->word(o)};
                if (!operand.isId || pair.first == pair.second || moved.contains(pair.first)) {
                    continue;
                }
                Id& phi = joined[pair];
                if (phi == 0) {
                    phi = emit.op(
                        OpPhi, module_.def(pair.first).type,
                        {pair.first, branches_.first->id(), pair.second, branches_.second->id()});
                }
                operand.word = phi;
            }
        }
    }

    TypeTable& types_;
    Module& module_;
    const Branches branches_;
    const Counterparts equal_;
    JoinedTypes joined_;
    // By a value of one block: that of the other block which has its place; 0: there are several.
    std::unordered_map<Id, Id> firsts_, seconds_;
    std::set<Pair> pointers_;  // used ones that only instructions further up may join
    size_t count_ = 0;         // of instructions at the end of each block
};

}  // namespace

size_t joinCommonTails(TypeTable& types) {
    Module& module = types.module();
    size_t joined = 0;
    for (const auto& function : module.functions()) {
        const BlockGraph graph(*function);
        std::map<Id, Id> replaced;
        std::unordered_set<Id> gone;
        for (const auto& block : function->blocks) {
            const auto branches = branchesOf(*function, graph, *block);
            if (!branches) continue;
            Tail tail(types, *branches);
            if (!tail.find()) continue;
            tail.move(replaced, gone);
            ++joined;
        }
        function->visitBlocks([&](Instruction& i) { replaceIds(i, replaced); });
        gone.erase(0);
        module.forget(gone);
    }
    return joined;
}

}  // namespace coopvk::rewrite
