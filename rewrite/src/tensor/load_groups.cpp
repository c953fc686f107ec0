// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/opcodes.hpp"
#include "tensor/load_order.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

constexpr size_t kMaxTogether = 4;

// A group of loads, and the instructions between them.
class Group {
 public:
    Group(const Module& module, const Effects& effects) : module_(module), effects_(effects) {}

    bool isEmpty() const { return loads_.empty(); }
    bool takes(const Instruction& load) const {
        return loads_.size() < kMaxTogether && !needsLoaded(load);
    }

    void addLoad(InstructionPtr load) {
        later_.insert(load->result);
        changesPrivate_ |= (effects_.of(*load) & (kChanges & ~kWritesInFunction)) != 0;
        loads_.push_back(std::move(load));
    }

    // Whether the instruction may move ahead of the group's loads, or behind all of them.
    bool letsPass(const Instruction& i) const { return isFree(i) || isStoreOfLoaded(i); }

    void pass(InstructionPtr i) {
        if (isFree(*i)) {
            ahead_.push_back(std::move(i));
            return;
        }
        later_.insert(i->word(0));
        behind_.push_back(std::move(i));
    }

    void appendTo(InstructionList& body, std::set<Id>& followed) {
        append(body, ahead_);
        for (size_t i = 0; i + 1 < loads_.size(); ++i) followed.insert(loads_[i]->result);
        append(body, loads_);
        append(body, behind_);
        later_.clear();
        changesPrivate_ = false;
    }

 private:
    static void append(InstructionList& body, InstructionList& part) {
        std::ranges::move(part, std::back_inserter(body));
        part.clear();
    }

    bool needsLoaded(const Instruction& i) const {
        return std::ranges::any_of(
            i.operands, [&](const Operand& o) { return o.isId && later_.contains(o.word); });
    }

    // Whether it stores to a whole variable of the function.
    bool storesToVariable(const Instruction& i) const {
        if (i.opcode != OpStore) return false;
        const Instruction& pointer = module_.def(i.word(0));
        return isVariable(pointer.opcode) && storageOf(pointer) == spv::StorageClass::Function;
    }

    bool isFree(const Instruction& i) const {
        if (needsLoaded(i)) return false;
        if (i.opcode == OpLoad) return readsWhatStays(i);
        if (i.opcode == OpStore) return storesToVariable(i);
        return onlyComputes(effectsOf(module_, i));
    }

    // Whether neither the loads nor the stores that move behind them change what is read.
    bool readsWhatStays(const Instruction& load) const {
        using enum spv::StorageClass;
        const Id root = rootOf(module_, load.word(0));
        const spv::StorageClass storage = module_.storage(root);
        if (storage == Private) return !changesPrivate_;
        if (storage == Function)
            return isVariable(module_.def(root).opcode) && !later_.contains(root);
        return storage == PushConstant || storage == Input;
    }

    // Whether it stores what was loaded to a whole variable of the function, which no instruction
    // behind the loads accesses so far: then it may move behind them.
    bool isStoreOfLoaded(const Instruction& i) const {
        const auto isResult = [&](const InstructionPtr& load) { return load->result == i.word(1); };
        return storesToVariable(i) && i.operands.size() == 2 && !later_.contains(i.word(0)) &&
               std::ranges::any_of(loads_, isResult);
    }

    const Module& module_;
    const Effects& effects_;
    InstructionList ahead_, loads_, behind_;
    std::set<Id> later_;           // what is loaded, and variables that it is stored to
    bool changesPrivate_ = false;  // a function that decodes for a load has side effects
};

}  // namespace

std::set<Id> gatherTensorLoads(Module& module) {
    std::set<Id> followed;
    const Effects effects(module);
    for (const auto& function : module.functions()) {
        for (const auto& block : function->blocks) {
            InstructionList body;
            Group group(module, effects);
            for (InstructionPtr& i : block->body) {
                const bool joins = isTensorLoad(*i) && group.takes(*i);
                if (!group.isEmpty() && !joins && !group.letsPass(*i)) {
                    group.appendTo(body, followed);
                }
                if (isTensorLoad(*i)) {
                    group.addLoad(std::move(i));
                } else if (group.isEmpty()) {
                    body.push_back(std::move(i));
                } else {
                    group.pass(std::move(i));
                }
            }
            group.appendTo(body, followed);
            block->body = std::move(body);
        }
    }
    return followed;
}

}  // namespace coopvk::rewrite
