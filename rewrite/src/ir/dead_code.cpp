// SPDX-License-Identifier: Apache-2.0
#include "ir/dead_code.hpp"

namespace coopvk::rewrite {

namespace {

// Marks what is read, from the instructions that must stay. What is not marked goes.
class DeadCode {
 public:
    DeadCode(Module& module, const MayGo& mayGo)
        : module_(module), mayGo_(mayGo), candidates_(module.bound()) {}

    // A list from which instructions may go.
    void add(InstructionList& list) {
        lists_.push_back(&list);
        for (const InstructionPtr& i : list) {
            if (i->result != 0 && mayGo_(*i)) {
                candidates_[i->result] = i.get();
                any_ = true;
            }
        }
    }
    void add(Function& function) {
        for (const auto& block : function.blocks) add(block->body);
    }
    // What stays as it is.
    void keepInterface(const Function& function) {
        read(*function.definition);
        for (const InstructionPtr& i : function.parameters) read(*i);
    }

    void run() {
        if (!any_) return;
        for (const InstructionList* list : lists_) {
            for (const InstructionPtr& i : *list) start(*i);
        }
        mark();
        std::unordered_set<Id> gone;
        for (InstructionList* list : lists_) {
            gone.merge(module_.takeOut(*list, [&](const Instruction& i) { return isDead(i); }));
        }
        gone.erase(0);  // of stores
        if (!gone.empty()) module_.forget(gone);
    }

 private:
    Instruction* candidate(Id id) const {
        return id < candidates_.size() ? candidates_[id] : nullptr;
    }

    // The variable that may go, if an instruction is a plain store to one, or to a part of it.
    Id storesTo(const Instruction& i) const {
        if (i.opcode != OpStore || i.operands.size() != 2) return 0;
        const Instruction* variable = candidate(i.word(0));
        if (variable != nullptr &&
            isOneOf(variable->opcode, {OpAccessChain, OpInBoundsAccessChain}))
            variable = candidate(variable->word(0));
        const bool isOfFunction = variable != nullptr && variable->opcode == OpVariable &&
                                  storageOf(*variable) == spv::StorageClass::Function;
        return isOfFunction ? variable->result : 0;
    }

    bool isDead(const Instruction& i) const {
        const Id variable = storesTo(i);
        return (i.result != 0 && candidate(i.result) == &i) || variable != 0;
    }

    void start(const Instruction& i) {
        if (i.result != 0 && candidate(i.result) == &i) return;
        if (const Id variable = storesTo(i)) {
            std::vector<Id>& stored = stored_[variable];
            stored.push_back(i.word(1));
            if (i.word(0) != variable) stored.push_back(i.word(0));
        } else {
            read(i);
        }
    }

    void read(const Instruction& i) {
        pending_.push_back(i.type);
        for (const Operand& o : i.operands) {
            if (o.isId) pending_.push_back(o.word);
        }
    }

    void mark() {
        while (!pending_.empty()) {
            const Id id = pending_.back();
            pending_.pop_back();
            const Instruction* i = candidate(id);
            if (i == nullptr) continue;
            candidates_[id] = nullptr;  // it stays
            read(*i);
            const auto stored = stored_.find(id);
            if (stored == stored_.end()) continue;
            pending_.insert(pending_.end(), stored->second.begin(), stored->second.end());
        }
    }

    Module& module_;
    const MayGo& mayGo_;
    bool any_ = false;
    std::vector<Instruction*> candidates_;  // by result; those that are read are taken out
    std::vector<InstructionList*> lists_;
    std::unordered_map<Id, std::vector<Id>> stored_;  // values, by variable
    std::vector<Id> pending_;
};

}  // namespace

void removeDeadCode(Module& module, const MayGo& mayGo) {
    DeadCode code(module, mayGo);
    for (const auto& function : module.functions()) code.add(*function);
    code.run();
}

void removeDeadCode(Module& module, Function& function, const MayGo& mayGo) {
    DeadCode code(module, mayGo);
    code.add(function);
    code.run();
}

void removeDeadDeclarations(Module& module, const MayGo& mayGo) {
    DeadCode code(module, mayGo);
    code.add(module.section(Section::kGlobals));
    for (const auto& function : module.functions()) {
        code.add(*function);
        code.keepInterface(*function);
    }
    code.run();
}

}  // namespace coopvk::rewrite
