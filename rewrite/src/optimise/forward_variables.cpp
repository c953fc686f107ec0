// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "ir/composites.hpp"
#include "ir/dominators.hpp"
#include "ir/opcodes.hpp"
#include "optimise/optimise.hpp"
#include "optimise/variable_uses.hpp"

namespace coopvk::rewrite {

namespace {

bool isWholeOnly(const Module& module, const VariableUses& uses, Id variable) {
    return module.def(variable).opcode == OpVariable &&
           std::ranges::all_of(uses.of(variable),
                               [&](const Usage& use) { return isWholeAccess(module, use); });
}

class Forwarding {
 public:
    Forwarding(Module& module, Function& function, const VariableUses& uses,
               ReplacedValues& replaced)
        : module_(module),
          function_(function),
          graph_(function),
          dominators_(function, graph_),
          uses_(uses),
          joined_(module),
          replaced_(replaced) {}

    // Whether the function has a tree of dominators.
    bool isWellFormed() const {
        return std::ranges::all_of(graph_.successors(0),
                                   [&](size_t next) { return isReached(next); });
    }

    void run() {
        for (const InstructionPtr& i : function_.blocks.front()->body) {
            if (uses_.has(i->result)) forward(*i);
        }
        if (gone_.empty()) return;
        for (const auto& block : function_.blocks) {
            module_.takeOut(block->body, [&](const Instruction& i) { return isGone(i); });
        }
        for (auto& [block, phi] : made_) {
            InstructionList& body = function_.blocks[block]->body;
            body.insert(body.begin(), std::move(phi));
        }
        replaced_.update(function_);
        module_.forget(gone_);
    }

 private:
    struct Phi {
        size_t block;
        Id result;
        std::vector<Id> values;  // by predecessor
    };
    // Of one variable, by block: what is stored last, and what it has at the start.
    struct Known {
        Id type = 0, initial = 0;
        std::map<size_t, Id> stored, atStart;
        std::vector<Phi> phis;
    };

    bool isReached(size_t block) const { return dominators_.dominates(0, block); }

    bool isGone(const Instruction& i) const {
        return gone_.contains(i.opcode == OpStore ? i.word(0) : i.result) ||
               replaced_.has(i.result);
    }

    // No particular value.
    Id undefined(Id type) {
        Id& id = undefined_[type];
        if (id == 0) {
            id = module_.takeId();
            module_.append(Section::kGlobals, makeInstruction(OpUndef, type, id, {}));
        }
        return id;
    }

    Id atEnd(Known& known, size_t block) {
        const auto stored = known.stored.find(block);
        return stored != known.stored.end() ? stored->second : atStart(known, block);
    }

    // What the variable has at the start of a block: what it has at the end of the only block
    // ahead, or a phi, whose values follow.
    Id atStart(Known& known, size_t block) {
        std::vector<size_t> way;
        Id value = 0;
        while (value == 0) {
            module_.countSteps(1);
            const auto found = known.atStart.find(block);
            if (found != known.atStart.end()) {
                value = found->second;
                break;
            }
            way.push_back(block);
            const std::vector<size_t>& ahead = graph_.predecessors(block);
            if (block == 0 || !isReached(block)) {
                value = known.initial != 0 ? known.initial : undefined(known.type);
            } else if (ahead.size() > 1) {
                value = module_.takeId();
                known.phis.push_back({block, value, {}});
            } else if (const auto stored = known.stored.find(ahead[0]);
                       stored != known.stored.end()) {
                value = stored->second;
            } else {
                block = ahead[0];
            }
        }
        for (const size_t one : way) known.atStart[one] = value;
        return value;
    }

    void forward(const Instruction& variable) {
        if (variable.operands.size() > 2 || module_.isDecorated(variable.result)) return;
        const std::span<const Usage> uses = uses_.of(variable.result);
        if (!isWholeOnly(module_, uses_, variable.result)) return;
        Known known;
        known.type = module_.pointee(variable.result);
        known.initial = variable.word(1);
        if (!joined_.has(known.type)) return;
        std::vector<std::pair<Id, Id>> loaded;  // what stands for it
        std::vector<std::pair<Id, size_t>> waiting;
        for (const Usage& use : uses) {
            const size_t block = use.position.block;
            if (use.user->opcode == OpStore) {
                known.stored[block] = use.user->word(1);
            } else if (const auto stored = known.stored.find(block); stored != known.stored.end()) {
                loaded.push_back({use.user->result, stored->second});
            } else {
                waiting.push_back({use.user->result, block});
            }
        }
        for (const auto& [load, block] : waiting) loaded.push_back({load, atStart(known, block)});
        for (size_t p = 0; p < known.phis.size(); ++p) {
            for (const size_t from : graph_.predecessors(known.phis[p].block)) {
                const Id value = atEnd(known, from);
                known.phis[p].values.push_back(value);
            }
        }
        const std::unordered_map<Id, Id> needless = needlessPhis(known.phis);
        gone_.insert(variable.result);
        // For debuggers: values, but for constants, get the name of the variable that had them.
        for (const auto& [block, value] : known.stored) {
            if (!isDeclaration(module_.def(value))) module_.copyName(variable.result, value);
        }
        for (const auto& [load, value] : loaded) replaced_.replace(load, value);
        for (const Phi& phi : known.phis) {
            const auto found = needless.find(phi.result);
            if (found != needless.end()) {
                replaced_.replace(phi.result, found->second);
            } else {
                make(phi, known.type);
                module_.copyName(variable.result, phi.result);
            }
        }
    }

    // Phis that have one value but themselves, with that value: of reducible control flow, all that
    // are not needed (Braun et al.: Simple and Efficient Construction of SSA Form).
    std::unordered_map<Id, Id> needlessPhis(const std::vector<Phi>& phis) const {
        std::unordered_map<Id, Id> same;
        std::unordered_map<Id, std::vector<size_t>> readers;
        const auto resolved = [&](Id value) {
            for (auto found = same.find(value); found != same.end(); found = same.find(value))
                value = found->second;
            return value;
        };
        std::vector<size_t> pending;
        for (size_t p = phis.size(); p-- > 0;) {
            pending.push_back(p);
            for (const Id value : phis[p].values) readers[value].push_back(p);
        }
        while (!pending.empty()) {
            const Phi& phi = phis[pending.back()];
            pending.pop_back();
            if (same.contains(phi.result)) continue;
            module_.countSteps(phi.values.size());
            Id only = 0;
            bool isNeeded = false;
            for (const Id value : phi.values) {
                const Id one = resolved(value);
                if (one == phi.result || one == only) continue;
                isNeeded |= only != 0;
                only = one;
            }
            if (isNeeded || only == 0) continue;
            same[phi.result] = only;
            const std::vector<size_t> again = std::exchange(readers[phi.result], {});
            pending.insert(pending.end(), again.begin(), again.end());
            std::vector<size_t>& more = readers[only];
            more.insert(more.end(), again.begin(), again.end());
        }
        return same;
    }

    void make(const Phi& phi, Id type) {
        Operands operands;
        const std::vector<size_t>& ahead = graph_.predecessors(phi.block);
        for (size_t p = 0; p < ahead.size(); ++p) {
            operands.push_back(idOperand(phi.values[p]));
            operands.push_back(idOperand(function_.blocks[ahead[p]]->id()));
        }
        made_.push_back({phi.block, makeInstruction(OpPhi, type, phi.result, std::move(operands))});
        module_.setDef(made_.back().second.get());
    }

    Module& module_;
    Function& function_;
    const BlockGraph graph_;
    const Dominators dominators_;
    const VariableUses& uses_;
    JoinedTypes joined_;
    ReplacedValues& replaced_;  // loads, and phis that are not needed
    std::unordered_map<Id, Id> undefined_;
    std::unordered_set<Id> gone_;                          // variables
    std::vector<std::pair<size_t, InstructionPtr>> made_;  // phis, with their blocks
};

}  // namespace

void forwardVariables(Module& module, const MayForward& mayForward) {
    VariableUses uses(module);
    ReplacedValues replaced(module);
    for (const auto& function : module.functions()) {
        uses.collect(*function, mayForward);
        const bool isAny =
            uses.any([&](Id variable) { return isWholeOnly(module, uses, variable); });
        if (!isAny) continue;
        Forwarding forwarding(module, *function, uses, replaced);
        if (forwarding.isWellFormed()) forwarding.run();
    }
}

}  // namespace coopvk::rewrite
