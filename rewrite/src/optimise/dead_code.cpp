// SPDX-License-Identifier: Apache-2.0
#include "optimise/dead_code.hpp"

#include "ir/calls.hpp"
#include "ir/effects.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Marks what is read, from the instructions that must stay. What is not marked goes.
class DeadCode {
 public:
    DeadCode(Module& module, const MayGo& mayGo)
        : module_(module), mayGo_(mayGo), candidates_(module.bound()) {}

    // A list from which instructions may go. Variables are ahead of what names them.
    void add(InstructionList& list) {
        lists_.push_back(&list);
        for (const InstructionPtr& i : list) {
            if (i->result != 0 && mayGo_(*i)) {
                candidates_[i->result] = i.get();
                any_ = true;
            } else {
                start(*i);
            }
        }
    }
    void add(Function& function) {
        for (const auto& block : function.blocks) add(block->body);
    }
    // What functions, modes and decorations name stays.
    void keepNamed() {
        for (const auto& function : module_.functions()) {
            read(*function->definition);
            for (const InstructionPtr& i : function->parameters) read(*i);
        }
        for (const InstructionPtr& i : module_.section(Section::kExecutionModes)) read(*i);
        for (const InstructionPtr& i : module_.section(Section::kAnnotations)) {
            if (i->opcode != OpDecorateId) continue;
            for (const Operand& o : operandsBehind(*i, 2)) pending_.push_back(o.word);
        }
    }

    void run() {
        if (!any_) return;
        mark();
        std::vector<Id> gone;
        for (InstructionList* list : lists_) {
            const auto more =
                module_.takeOut(*list, [&](const Instruction& i) { return isDead(i); });
            gone.insert(gone.end(), more.begin(), more.end());
        }
        if (!gone.empty()) module_.forget(std::move(gone));
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

// What only computes names no function, but for calls: no operand is looked up then.
bool hasNoEffect(const Effects& effects, const Module& module, const Instruction& i) {
    return (i.opcode != OpFunctionCall && onlyComputes(ownEffects(module, i))) ||
           mayVanish(effects.of(i));
}

bool isBuiltIn(const Module& module, Id id) {
    return module.decoration(id, spv::Decoration::BuiltIn).has_value();
}

void collectResults(const Function& function, std::unordered_set<Id>& ids) {
    ids.insert(function.id());
    for (const InstructionPtr& i : function.parameters) ids.insert(i->result);
    for (const auto& block : function.blocks) {
        ids.insert(block->id());
        for (const InstructionPtr& i : block->body) ids.insert(i->result);
    }
    ids.erase(0);
}

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
    for (const auto& function : module.functions()) code.add(*function);
    code.keepNamed();
    code.run();
}

void removeUnreadValues(Module& module) {
    const Effects effects(module);
    removeDeadCode(module, [&](const Instruction& i) { return hasNoEffect(effects, module, i); });
}

void removeUnread(Module& module) {
    removeUnreachedFunctions(module);
    const Effects effects(module);
    // Of module scope, only types and constants: a constant may be WorkgroupSize.
    removeDeadDeclarations(module, [&](const Instruction& i) {
        if (isDeclaration(i)) return !isVariable(i.opcode) && !isBuiltIn(module, i.result);
        const bool isGlobal = isVariable(i.opcode) && storageOf(i) != spv::StorageClass::Function;
        return !isGlobal && hasNoEffect(effects, module, i);
    });
    removeUnreachedFunctions(module);  // whose calls are gone
}

void removeUnreachedFunctions(Module& module) {
    if (module.functions().size() < 2) return;
    std::vector<Id> entries;
    for (const InstructionPtr& entry : module.section(Section::kEntryPoints))
        entries.push_back(entry->word(1));
    const std::unordered_set<Id> reached = functionsReachedFrom(module, std::move(entries));
    std::unordered_set<Id> gone;
    std::erase_if(module.functions(), [&](const std::unique_ptr<Function>& function) {
        if (reached.contains(function->id())) return false;
        collectResults(*function, gone);
        return true;
    });
    if (!gone.empty()) module.forget(gone);
}

}  // namespace coopvk::rewrite
