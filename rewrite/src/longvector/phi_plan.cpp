// SPDX-License-Identifier: Apache-2.0
#include "longvector/phi_plan.hpp"

namespace coopvk::rewrite {

namespace {

// Whether nothing reads a phi's former value once the next one is in its variable.
bool isSafeAsIncoming(const LongVectorLiveness& liveness, const Block& block,
                      const Instruction& phi) {
    for (size_t p = 0; p + 1 < phi.operands.size(); p += 2) {
        const Id from = phi.word(p + 1);
        if (liveness.isNeededBehind(phi.result, from)) return false;
        for (const InstructionPtr& other : block.body) {
            if (other->opcode != OpPhi || other->result == phi.result) continue;
            for (size_t o = 0; o + 1 < other->operands.size(); o += 2) {
                if (other->word(o) == phi.result && other->word(o + 1) == from) return false;
            }
        }
    }
    return true;
}

}  // namespace

PhiPlan planPhisOf(const Function& function, const LongVectorLiveness& liveness,
                   const std::function<bool(Id type)>& isInVariable,
                   const std::function<Id(Id type)>& declare) {
    PhiPlan plan;
    for (const auto& block : function.blocks) {
        for (const InstructionPtr& i : block->body) {
            if (i->opcode != OpPhi || !isInVariable(i->type)) continue;
            if (liveness.uses(i->result) == 0) continue;
            const Id incoming = declare(i->type);
            std::vector<PhiInVariable>& phis =
                isSafeAsIncoming(liveness, *block, *i) ? plan.inPlace : plan.copied[block->id()];
            phis.push_back({i->result, incoming});
            for (size_t p = 0; p + 1 < i->operands.size(); p += 2) {
                plan.copies[i->word(p + 1)].emplace_back(incoming, i->word(p));
            }
        }
    }
    return plan;
}

}  // namespace coopvk::rewrite
