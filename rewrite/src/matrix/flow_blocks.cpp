// SPDX-License-Identifier: Apache-2.0
#include "matrix/flow_blocks.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/dominators.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// The last instruction ahead of `end` that may write a variable: a store, or a call with a pointer
// to it.
const Instruction* lastWrite(const Block& block, size_t end, Id variable) {
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

}  // namespace

FlowFunction::FlowFunction(const Function& f)
    : function(f), graph(f), meets(postDominators(graph, f.blocks.size())) {}

FlowBlocks::FlowBlocks(const Module& module, const Users& users) : module_(module), users_(users) {
    std::vector<std::pair<Id, Id>> calls;  // caller, callee
    for (const auto& function : module.functions()) {
        const FlowFunction& in =
            *functions_.emplace_back(std::make_unique<FlowFunction>(*function));
        for (size_t b = 0; b < function->blocks.size(); ++b) {
            const InstructionList& body = function->blocks[b]->body;
            for (size_t at = 0; at < body.size(); ++at) {
                places_[body[at].get()] = {&in, b, at};
                if (usesWholeMatrix(body[at]->opcode)) haveMatrixOperations_.insert(function->id());
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

FlowPlace FlowBlocks::placeOf(const Instruction& i) const {
    const auto found = places_.find(&i);
    return found == places_.end() ? FlowPlace{} : found->second;
}

std::vector<size_t> FlowBlocks::decidedBy(const FlowFunction& in, size_t block) const {
    return blocksBetween(in.graph, block, in.meets[block]);
}

bool FlowBlocks::leavesLoop(const FlowFunction& in, size_t block) const {
    const Loop* loop = in.graph.loopOf(block);
    return loop != nullptr && std::ranges::any_of(in.graph.successors(block), [&](size_t next) {
               return !in.graph.isInside(*loop, next);
           });
}

bool FlowBlocks::haveMatrixOperations(const FlowFunction& in,
                                      const std::vector<size_t>& blocks) const {
    return std::ranges::any_of(blocks, [&](size_t block) {
        return std::ranges::any_of(in.function.blocks[block]->body, [&](const InstructionPtr& i) {
            return usesWholeMatrix(i->opcode) ||
                   (i->opcode == OpFunctionCall && haveMatrixOperations_.contains(i->word(0)));
        });
    });
}

std::vector<Id> FlowBlocks::carried(const FlowFunction& in, const Loop& loop) const {
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

bool FlowBlocks::isCarried(const FlowFunction& in, const Loop& loop, Id phiOrVariable) const {
    const Instruction& i = module_.def(phiOrVariable);
    if (i.opcode != OpPhi) return isVariableCarried(in, loop, phiOrVariable);
    const FlowPlace place = placeOf(i);
    return place.in == &in && place.block == loop.header;
}

// It is written in the loop, and read where the iteration may not have written it yet.
bool FlowBlocks::isVariableCarried(const FlowFunction& in, const Loop& loop, Id variable) const {
    if (!isPrivate(module_.storage(variable))) return false;
    bool isWritten = false, isRead = false;
    for (const Usage& use : users_.of(variable)) {
        const FlowPlace place = placeOf(*use.user);
        if (place.in != &in || !in.graph.isInside(loop, place.block)) continue;
        const bool isCall = use.user->opcode == OpFunctionCall;
        isWritten |= isCall || (use.user->opcode == OpStore && use.operand == 0);
        if (isCall || use.user->opcode == OpLoad) isRead |= readsFromBefore(place, loop, variable);
    }
    return isWritten && isRead;
}

// Whether a way from the header of a loop to a place has no write to a variable.
bool FlowBlocks::readsFromBefore(const FlowPlace& place, const Loop& loop, Id variable) const {
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

bool FlowBlocks::isPlainVariable(Id pointer) const {
    const Instruction& variable = module_.def(pointer);
    const bool isOfFunction =
        variable.opcode == OpVariable && storageOf(variable) == spv::StorageClass::Function;
    if (!isOfFunction) return false;
    const auto [known, isNew] = isPlain_.try_emplace(pointer, false);
    if (!isNew) return known->second;
    return known->second = users_.all(pointer, [&](const Usage& use) {
        const bool isStore = use.user->opcode == OpStore && use.operand == 0;
        return isStore || use.user->opcode == OpLoad || isNonSemantic(module_, *use.user);
    });
}

const Instruction* FlowBlocks::wholeStoreBefore(const Instruction& load, Id variable) const {
    const FlowPlace place = placeOf(load);
    if (place.in == nullptr || module_.def(variable).opcode != OpVariable) return nullptr;
    const Instruction* write =
        lastWrite(*place.in->function.blocks[place.block], place.at, variable);
    const auto isLoad = [&](const Usage& use) {
        return use.user->opcode == OpLoad || isNonSemantic(module_, *use.user);
    };
    const auto keepsParts = [&](const Usage& use) {
        const bool isStore = use.user->opcode == OpStore && use.operand == 0;
        const bool isPart = isAccessChain(use.user->opcode) && users_.all(use.user->result, isLoad);
        return isStore || isPart || isLoad(use);
    };
    return write != nullptr && users_.all(variable, keepsParts) ? write : nullptr;
}

std::vector<const Instruction*> FlowBlocks::storesReadBy(const Instruction& load) const {
    const FlowPlace place = placeOf(load);
    if (place.in == nullptr) return {};
    const auto& blocks = place.in->function.blocks;
    const Id variable = load.word(0);
    if (const Instruction* own = lastWrite(*blocks[place.block], place.at, variable)) return {own};
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

}  // namespace coopvk::rewrite
