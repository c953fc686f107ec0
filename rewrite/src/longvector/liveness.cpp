// SPDX-License-Identifier: Apache-2.0
#include "longvector/liveness.hpp"

#include <algorithm>

#include "ir/users.hpp"

namespace coopvk::rewrite {

LongVectorLiveness::LongVectorLiveness(const Function& function,
                                       const std::function<bool(Id type)>& isInVariable) {
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        for (const InstructionPtr& i : function.blocks[b]->body) {
            for (const Operand& o : i->operands) {
                if (o.isId) ++all_[o.word];
            }
            if (i->type != 0 && isInVariable(i->type)) definedIn_[i->result] = b;
        }
    }
    if (!definedIn_.empty()) findUses(function);
}

void LongVectorLiveness::findUses(const Function& function) {
    const BlockGraph graph(function);
    const Users users(function);
    for (const auto& [value, definition] : definedIn_) {
        for (const Usage& use : users.of(value)) {
            std::optional<size_t> block = use.position.block;
            if (use.user->opcode == OpPhi) {
                const Id from = use.user->word(use.operand + 1);
                copied_[from].push_back(value);
                block = graph.number(from);
            }
            if (block) need(value, *block, graph, function);
        }
    }
}

// A use in a block: the value is needed behind all blocks on the way from its definition.
void LongVectorLiveness::need(Id value, size_t block, const BlockGraph& graph,
                              const Function& function) {
    const size_t definition = definedIn_.at(value);
    std::vector<size_t> reached;
    const auto reach = [&](size_t b) {
        if (b != definition) reached.push_back(b);
    };
    reach(block);
    while (!reached.empty()) {
        const size_t b = reached.back();
        reached.pop_back();
        for (const size_t from : graph.predecessors(b)) {
            if (!neededBehind_[function.blocks[from]->id()].insert(value).second) continue;
            crossing_.insert(value);
            reach(from);
        }
    }
}

void LongVectorLiveness::beginBlock(const Block& block) {
    block_ = block.id();
    here_.clear();
    for (const InstructionPtr& i : block.body) {
        if (i->opcode == OpPhi) continue;
        for (const Operand& o : i->operands) {
            if (o.isId) ++here_[o.word];
        }
    }
    const auto copied = copied_.find(block_);
    if (copied == copied_.end()) return;
    for (const Id value : copied->second) ++here_[value];
}

void LongVectorLiveness::add(const Instruction& i) {
    for (const Operand& o : i.operands) {
        if (o.isId) addUse(o.word);
    }
}

void LongVectorLiveness::drop(const Instruction& i) {
    for (const Operand& o : i.operands) {
        if (!o.isId) continue;
        --all_[o.word];
        if (i.opcode != OpPhi) --here_[o.word];
    }
}

void LongVectorLiveness::drop(Id value) {
    --all_[value];
    --here_[value];
}

size_t LongVectorLiveness::takenAtEndOf(Id block, Id value) const {
    const auto copied = copied_.find(block);
    return copied == copied_.end() ? 0
                                   : static_cast<size_t>(std::ranges::count(copied->second, value));
}

bool LongVectorLiveness::isNeededBehind(Id value, Id block) const {
    const auto found = neededBehind_.find(block);
    return found != neededBehind_.end() && found->second.contains(value);
}

}  // namespace coopvk::rewrite
