// SPDX-License-Identifier: Apache-2.0
#include "optimise/dead_code.hpp"

#include <algorithm>
#include <unordered_set>

#include "ir/blocks.hpp"
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

// The case that a switch takes by a constant selector; 0: it is not known.
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

// The only label to which a block leads by a constant condition; 0: there is none.
Id knownTarget(const Module& module, const Block& block) {
    const Instruction& end = *block.body.back();
    if (end.opcode == OpSwitch) return knownCase(module, end);
    const bool isChoice = end.opcode == OpBranchConditional;
    const std::optional<bool> condition =
        isChoice ? module.constantBool(end.word(0)) : std::nullopt;
    return condition ? end.word(*condition ? 1 : 2) : 0;
}

// By number: whether the block may be executed.
std::vector<bool> executedBlocks(const Module& module, const Function& function) {
    const BlockGraph graph(function);
    std::vector<bool> executed(function.blocks.size());
    std::vector<size_t> pending = {0};
    while (!pending.empty()) {
        const size_t number = pending.back();
        pending.pop_back();
        if (executed[number]) continue;
        executed[number] = true;
        const auto known = graph.number(knownTarget(module, *function.blocks[number]));
        const std::vector<size_t> next = known ? std::vector{*known} : graph.successors(number);
        pending.insert(pending.end(), next.begin(), next.end());
    }
    return executed;
}

// Takes out of blocks that constant conditions never lead to what has no result and directs no
// control flow. Returns the results that these blocks have.
std::unordered_set<Id> emptyUnreachedBlocks(Module& module) {
    std::unordered_set<Id> neverComputed;
    for (const auto& function : module.functions()) {
        const bool isAny = std::ranges::any_of(
            function->blocks, [&](const auto& block) { return knownTarget(module, *block) != 0; });
        if (!isAny) continue;
        const std::vector<bool> executed = executedBlocks(module, *function);
        for (size_t number = 0; number < executed.size(); ++number) {
            if (executed[number]) continue;
            InstructionList& body = function->blocks[number]->body;
            module.takeOut(body, [](const Instruction& i) {
                return i.result == 0 && !isTerminator(i.opcode) &&
                       !isOneOf(i.opcode, {OpSelectionMerge, OpLoopMerge});
            });
            for (const InstructionPtr& i : body) neverComputed.insert(i->result);
        }
    }
    neverComputed.erase(0);
    return neverComputed;
}

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
    const std::unordered_set<Id> neverComputed = emptyUnreachedBlocks(module);
    const Effects effects(module);
    removeDeadCode(module, [&](const Instruction& i) {
        return neverComputed.contains(i.result) || hasNoEffect(effects, module, i);
    });
}

void removeUnread(Module& module) {
    removeUnreachedFunctions(module);
    const std::unordered_set<Id> neverComputed = emptyUnreachedBlocks(module);
    const Effects effects(module);
    // Of module scope, only types and constants: a constant may be WorkgroupSize.
    removeDeadDeclarations(module, [&](const Instruction& i) {
        if (isDeclaration(i)) return !isVariable(i.opcode) && !isBuiltIn(module, i.result);
        const bool isGlobal = isVariable(i.opcode) && storageOf(i) != spv::StorageClass::Function;
        return neverComputed.contains(i.result) || (!isGlobal && hasNoEffect(effects, module, i));
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
