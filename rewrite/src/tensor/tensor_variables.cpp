// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/dominators.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

bool isTensorType(const Instruction& type) {
    return isOneOf(type.opcode, {spv::Op::OpTypeTensorLayoutNV, spv::Op::OpTypeTensorViewNV});
}

// Follows the variables of a function that only one block stores to.
class Forwarding {
 public:
    Forwarding(Module& module, Function& function)
        : module_(module),
          function_(function),
          graph_(function),
          dominators_(function, graph_),
          users_(function) {}

    void run() {
        for (const InstructionPtr& i : function_.blocks.front()->body) {
            if (i->opcode == spv::Op::OpVariable && i->operands.size() == 1) follow(i->result);
        }
        if (gone_.empty()) return;
        for (const auto& block : function_.blocks) {
            for (const InstructionPtr& i : block->body) replaceOperands(*i);
        }
        for (const auto& block : function_.blocks) {
            module_.takeOut(block->body, [&](const Instruction& i) { return isGone(i); });
        }
        module_.forget(gone_);
    }

 private:
    bool isGone(const Instruction& i) const {
        return gone_.contains(i.opcode == spv::Op::OpStore ? i.word(0) : i.result);
    }

    // Only whole loads and stores that are not volatile.
    bool isSimple(const Usage& use) const {
        const Instruction& i = *use.user;
        return use.operand == 0 && i.operands.size() == (i.opcode == spv::Op::OpStore ? 2 : 1) &&
               isOneOf(i.opcode, {spv::Op::OpLoad, spv::Op::OpStore});
    }

    // What a load reads; 0: it is not known.
    Id storedBefore(std::span<const Usage* const> stores, const Position& load) const {
        Id value = 0;
        const size_t block = stores.front()->position.block;
        if (load.block != block && !dominators_.dominates(block, load.block)) return 0;
        for (const Usage* store : stores) {
            if (load.block != block || store->position < load) value = store->user->word(1);
        }
        return value;
    }

    void follow(Id variable) {
        if (!isTensorType(module_.def(module_.pointee(variable)))) return;
        std::vector<const Usage*> stores;
        std::map<Id, Id> loaded;
        for (const Usage& use : users_.of(variable)) {
            if (!isSimple(use)) return;
            if (use.user->opcode == spv::Op::OpStore) stores.push_back(&use);
        }
        if (stores.empty()) return;
        for (const Usage* store : stores) {
            if (store->position.block != stores.front()->position.block) return;
        }
        for (const Usage& use : users_.of(variable)) {
            if (use.user->opcode != spv::Op::OpLoad) continue;
            const Id value = storedBefore(stores, use.position);
            if (value == 0) return;
            loaded[use.user->result] = value;
        }
        gone_.insert(variable);
        for (const auto& [load, value] : loaded) {
            gone_.insert(load);
            values_[load] = value;
        }
    }

    void replaceOperands(Instruction& i) const {
        for (Operand& o : i.operands) {
            for (auto found = values_.find(o.word); o.isId && found != values_.end();
                 found = values_.find(o.word)) {
                o.word = found->second;
            }
        }
    }

    Module& module_;
    Function& function_;
    const BlockGraph graph_;
    const Dominators dominators_;
    const Users users_;
    std::map<Id, Id> values_;  // of loads
    std::unordered_set<Id> gone_;
};

}  // namespace

void forwardTensorValues(Module& module) {
    for (const auto& function : module.functions()) {
        if (!function->blocks.empty()) Forwarding(module, *function).run();
    }
}

}  // namespace coopvk::rewrite
