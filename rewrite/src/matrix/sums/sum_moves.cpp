// SPDX-License-Identifier: Apache-2.0
#include "matrix/sums/sum_moves.hpp"

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

class MoveFinder {
 public:
    MoveFinder(const Module& module, const SumTypes& sums, const BlockGraph& graph,
               const Users& users, SumRegion region)
        : module_(module), sums_(sums), graph_(graph), users_(users) {
        m_.region = std::move(region);
        m_.inside = m_.region.instructions();
    }

    // nullopt: pointers to accumulators go in or out, too.
    std::optional<SumMoves> run() {
        for (const Instruction* i : m_.inside) {
            if (isNonSemantic(module_, *i)) continue;
            for (const Operand& o : i->operands) {
                if (o.isId && sums_.has(module_.def(o.word).type) && !comesIn(o.word)) return {};
            }
            if (sums_.has(i->type) && !goesOut(*i)) return {};
        }
        const std::set<size_t> before = reached(m_.region.begin.block, false);
        const std::set<size_t> behind = reached(m_.region.merge, true);
        for (const Id variable : m_.variables) {
            if (module_.def(variable).operands.size() > 1) m_.variablesIn.insert(variable);
            findMoves(variable, variable, before, behind);
        }
        return std::move(m_);
    }

 private:
    bool isPointer(Id value) const {
        return module_.def(module_.def(value).type).opcode == OpTypePointer;
    }

    bool comesIn(Id value) {
        const Instruction& def = module_.def(value);
        if (m_.inside.contains(&def)) return true;
        if (def.opcode == OpVariable) return m_.variables.insert(value), true;
        if (isDeclaration(def) || hasNoValue(def.opcode)) return m_.constants.insert(value), true;
        return !isPointer(value) && (m_.valuesIn.insert(value), true);
    }

    bool goesOut(const Instruction& i) {
        const auto isInside = [&](const Usage& use) {
            return m_.inside.contains(use.user) || isNonSemantic(module_, *use.user);
        };
        if (users_.all(i.result, isInside)) return true;
        return !isPointer(i.result) && (m_.valuesOut.insert(i.result), true);
    }

    // The blocks to which a block leads, or those that lead to it; also itself, if in a loop.
    std::set<size_t> reached(size_t from, bool forwards) const {
        std::set<size_t> seen;
        std::vector<size_t> pending = {from};
        while (!pending.empty()) {
            const size_t b = pending.back();
            pending.pop_back();
            for (const size_t next : forwards ? graph_.successors(b) : graph_.predecessors(b)) {
                if (seen.insert(next).second) pending.push_back(next);
            }
        }
        return seen;
    }

    // Which uses of a variable there are outside of the region.
    void findMoves(Id variable, Id pointer, const std::set<size_t>& before,
                   const std::set<size_t>& behind) {
        const SumRegion& r = m_.region;
        for (const Usage& use : users_.of(pointer)) {
            if (m_.inside.contains(use.user) || isNonSemantic(module_, *use.user)) continue;
            const size_t block = use.position.block;
            const bool precedes = block == r.begin.block && use.position.at < r.begin.at;
            if (precedes || before.contains(block)) m_.variablesIn.insert(variable);
            if (block == r.merge || behind.contains(block)) m_.variablesOut.insert(variable);
            if (isPointer(use.user->result)) findMoves(variable, use.user->result, before, behind);
        }
    }

    const Module& module_;
    const SumTypes& sums_;
    const BlockGraph& graph_;
    const Users& users_;
    SumMoves m_;
};

}  // namespace

std::optional<SumMoves> sumMoves(const Module& module, const SumTypes& sums,
                                 const BlockGraph& graph, const Users& users, SumRegion region) {
    return MoveFinder(module, sums, graph, users, std::move(region)).run();
}

}  // namespace coopvk::rewrite
