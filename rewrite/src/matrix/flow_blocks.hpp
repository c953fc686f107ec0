// SPDX-License-Identifier: Apache-2.0
//
// Where the instructions of a module are, which blocks a branch decides about, and which values
// differ from one iteration of a loop to the next.
#pragma once

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "ir/blocks.hpp"
#include "ir/composites.hpp"
#include "ir/dominators.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"

namespace coopvk::rewrite {

struct FlowFunction {
    explicit FlowFunction(const Function& f)
        : function(f), graph(f), meets(postDominators(graph, f.blocks.size())) {}

    const Function& function;
    const BlockGraph graph;
    const std::vector<size_t> meets;  // by block: its immediate post-dominator
};

struct FlowPlace {
    const FlowFunction* in = nullptr;  // nullptr: no block has it
    size_t block = 0, at = 0;
};

// The last instruction ahead of `end` that may write a variable: a store, or a call with a pointer
// to it.
inline const Instruction* lastWrite(const Block& block, size_t end, Id variable) {
    for (size_t at = end; at-- > 0;) {
        const Instruction& i = *block.body[at];
        const bool isCall = i.opcode == OpFunctionCall;
        if (!isCall && i.opcode != OpStore) continue;
        const size_t last = isCall ? i.operands.size() : 1;
        for (size_t o = isCall ? 1 : 0; o < last; ++o) {
            if (i.word(o) == variable) return &i;
        }
    }
    return nullptr;
}

// Valid until instructions are added, removed or changed.
class FlowBlocks {
 public:
    FlowBlocks(const Module& module, const Users& users) : module_(module), users_(users) {
        std::vector<std::pair<Id, Id>> calls;  // caller, callee
        for (const auto& function : module.functions()) {
            const FlowFunction& in =
                *functions_.emplace_back(std::make_unique<FlowFunction>(*function));
            for (size_t b = 0; b < function->blocks.size(); ++b) {
                const InstructionList& body = function->blocks[b]->body;
                for (size_t at = 0; at < body.size(); ++at) {
                    places_[body[at].get()] = {&in, b, at};
                    if (usesWholeMatrix(body[at]->opcode))
                        haveMatrixOperations_.insert(function->id());
                    if (body[at]->opcode == OpFunctionCall)
                        calls.emplace_back(function->id(), body[at]->word(0));
                }
            }
        }
        bool changed = true;
        while (changed) {
            changed = false;
            for (const auto& [caller, callee] : calls) {
                changed |= haveMatrixOperations_.contains(callee) &&
                           haveMatrixOperations_.insert(caller).second;
            }
        }
    }

    FlowPlace placeOf(const Instruction& i) const {
        const auto found = places_.find(&i);
        return found == places_.end() ? FlowPlace{} : found->second;
    }

    // The blocks that run or not as the end of this one decides.
    std::vector<size_t> decidedBy(const FlowFunction& in, size_t block) const {
        return blocksBetween(in.graph, block, in.meets[block]);
    }

    // Whether the end of a block decides whether a loop goes on.
    bool leavesLoop(const FlowFunction& in, size_t block) const {
        const Loop* loop = in.graph.loopOf(block);
        return loop != nullptr && std::ranges::any_of(in.graph.successors(block), [&](size_t next) {
                   return !in.graph.isInside(*loop, next);
               });
    }

    // Whether blocks have operations on whole matrices: all lanes of a subgroup run these, or none.
    bool haveMatrixOperations(const FlowFunction& in, const std::vector<size_t>& blocks) const {
        return std::ranges::any_of(blocks, [&](size_t block) {
            return std::ranges::any_of(in.function.blocks[block]->body,
                                       [&](const InstructionPtr& i) {
                                           return usesWholeMatrix(i->opcode) ||
                                                  (i->opcode == OpFunctionCall &&
                                                   haveMatrixOperations_.contains(i->word(0)));
                                       });
        });
    }

    // Phis and variables of the invocation that an iteration of a loop reads as the one before
    // left them.
    std::vector<Id> carried(const FlowFunction& in, const Loop& loop) const {
        std::vector<Id> found;
        for (const InstructionPtr& i : in.function.blocks[loop.header]->body) {
            if (i->opcode == OpPhi) found.push_back(i->result);
        }
        std::unordered_set<Id> seen;
        for (size_t b = 0; b < in.function.blocks.size(); ++b) {
            if (!in.graph.isInside(loop, b)) continue;
            for (const InstructionPtr& i : in.function.blocks[b]->body) {
                const Id variable = i->opcode == OpStore ? i->word(0) : 0;
                if (variable == 0 || !seen.insert(variable).second) continue;
                if (isVariableCarried(in, loop, variable)) found.push_back(variable);
            }
        }
        return found;
    }

    bool isCarried(const FlowFunction& in, const Loop& loop, Id phiOrVariable) const {
        const Instruction& i = module_.def(phiOrVariable);
        if (i.opcode != OpPhi) return isVariableCarried(in, loop, phiOrVariable);
        const FlowPlace place = placeOf(i);
        return place.in == &in && place.block == loop.header;
    }

    // Whether a pointer is a variable of a function that is only loaded and stored as a whole.
    bool isPlainVariable(Id pointer) const {
        if (!isOfFunction(pointer)) return false;
        const auto [known, isNew] = isPlain_.try_emplace(pointer, false);
        if (!isNew) return known->second;
        return known->second = users_.all(pointer, [&](const Usage& use) {
            const bool isStore = use.user->opcode == OpStore && use.operand == 0;
            return isStore || use.user->opcode == OpLoad || isNonSemantic(module_, *use.user);
        });
    }

    // The last store to a variable of a function in the load's block ahead of it, if the variable
    // is only loaded otherwise, as a whole or in parts; else nullptr.
    const Instruction* wholeStoreBefore(const Instruction& load, Id variable) const {
        const FlowPlace place = placeOf(load);
        if (place.in == nullptr || !isOfFunction(variable)) return nullptr;
        const Instruction* write =
            lastWrite(*place.in->function.blocks[place.block], place.at, variable);
        const auto isLoad = [&](const Usage& use) {
            return use.user->opcode == OpLoad || isNonSemantic(module_, *use.user);
        };
        const auto keepsParts = [&](const Usage& use) {
            const bool isStore = use.user->opcode == OpStore && use.operand == 0;
            const bool isPart =
                isAccessChain(use.user->opcode) && users_.all(use.user->result, isLoad);
            return isStore || isPart || isLoad(use);
        };
        return write != nullptr && users_.all(variable, keepsParts) ? write : nullptr;
    }

    // The stores to such a variable that a load may read.
    std::vector<const Instruction*> storesReadBy(const Instruction& load) const {
        const FlowPlace place = placeOf(load);
        if (place.in == nullptr) return {};
        const auto& blocks = place.in->function.blocks;
        const Id variable = load.word(0);
        if (const Instruction* own = lastWrite(*blocks[place.block], place.at, variable))
            return {own};
        std::vector<const Instruction*> found;
        std::vector<size_t> pending(place.in->graph.predecessors(place.block));
        std::vector<bool> seen(blocks.size(), false);
        while (!pending.empty()) {
            const size_t block = pending.back();
            pending.pop_back();
            if (seen[block]) continue;
            seen[block] = true;
            const Block& before = *blocks[block];
            module_.countSteps(before.body.size());
            if (const Instruction* store = lastWrite(before, before.body.size(), variable)) {
                found.push_back(store);
                continue;
            }
            for (const size_t more : place.in->graph.predecessors(block)) pending.push_back(more);
        }
        return found;
    }

 private:
    // Others are also written by functions that do not have them as arguments.
    bool isOfFunction(Id pointer) const {
        const Instruction& variable = module_.def(pointer);
        return variable.opcode == OpVariable && storageOf(variable) == spv::StorageClass::Function;
    }

    // Whether a way from the header of a loop to a place has no write to a variable.
    bool readsFromBefore(const FlowPlace& place, const Loop& loop, Id variable) const {
        const auto& blocks = place.in->function.blocks;
        if (lastWrite(*blocks[place.block], place.at, variable)) return false;
        std::vector<size_t> pending = {place.block};
        std::vector<bool> seen(blocks.size(), false);
        while (!pending.empty()) {
            const size_t block = pending.back();
            pending.pop_back();
            if (block == loop.header) return true;
            for (const size_t before : place.in->graph.predecessors(block)) {
                if (seen[before] || !place.in->graph.isInside(loop, before)) continue;
                seen[before] = true;
                const Block& other = *blocks[before];
                module_.countSteps(other.body.size());
                if (!lastWrite(other, other.body.size(), variable)) pending.push_back(before);
            }
        }
        return false;
    }

    // It is written in the loop, and read where the iteration may not have written it yet.
    bool isVariableCarried(const FlowFunction& in, const Loop& loop, Id variable) const {
        if (!isPrivate(module_.storage(variable))) return false;
        bool isWritten = false, isRead = false;
        for (const Usage& use : users_.of(variable)) {
            const FlowPlace place = placeOf(*use.user);
            if (place.in != &in || !in.graph.isInside(loop, place.block)) continue;
            const bool isCall = use.user->opcode == OpFunctionCall;
            isWritten |= isCall || (use.user->opcode == OpStore && use.operand == 0);
            if (isCall || use.user->opcode == OpLoad)
                isRead |= readsFromBefore(place, loop, variable);
        }
        return isWritten && isRead;
    }

    const Module& module_;
    const Users& users_;
    std::vector<std::unique_ptr<FlowFunction>> functions_;
    std::unordered_map<const Instruction*, FlowPlace> places_;
    mutable std::unordered_map<Id, bool> isPlain_;  // variables that were asked for
    std::unordered_set<Id> haveMatrixOperations_;   // functions, with what they call
};

}  // namespace coopvk::rewrite
