// SPDX-License-Identifier: Apache-2.0
//
// Long vectors that leave a block: for phis, and as results of the function.
#include "ir/opcodes.hpp"
#include "longvector/function.hpp"

namespace coopvk::rewrite {

namespace {

using enum spv::Op;

}  // namespace

// Whether nothing reads a phi's former value once the next one is in its variable.
bool LongVectorFunction::isSafeAsIncoming(const Block& block, const Instruction& phi) const {
    for (size_t p = 0; p + 1 < phi.operands.size(); p += 2) {
        const Id from = phi.word(p + 1);
        if (liveness_.isNeededBehind(phi.result, from)) return false;
        for (const InstructionPtr& other : block.body) {
            if (other->opcode != OpPhi || other->result == phi.result) continue;
            for (size_t o = 0; o + 1 < other->operands.size(); o += 2) {
                if (other->word(o) == phi.result && other->word(o + 1) == from) return false;
            }
        }
    }
    return true;
}

void LongVectorFunction::planPhis() {
    for (const auto& block : function_.blocks) {
        for (const InstructionPtr& i : block->body) {
            const LongVector* vector = context_.lowered(i->type);
            if (i->opcode != OpPhi || vector == nullptr || liveness_.uses(i->result) == 0) continue;
            const Id incoming = slots_.declare(vector->id);
            if (isSafeAsIncoming(*block, *i)) {
                values_.setVariable(i->result, incoming);
            } else {
                phis_[block->id()].push_back({i->result, incoming});
            }
            for (size_t p = 0; p + 1 < i->operands.size(); p += 2) {
                copies_[i->word(p + 1)].emplace_back(incoming, i->word(p));
            }
        }
    }
}

// A value that only the block's OpReturnValue uses is computed in the caller's variable.
void LongVectorFunction::planReturn(const Block& block) {
    const Instruction& last = *block.body.back();
    if (returned_ == 0 || last.opcode != OpReturnValue) return;
    for (const InstructionPtr& i : block.body) {
        const bool isIt = i->result == last.word(0) && i->opcode != OpPhi && i->opcode != OpLoad;
        if (isIt && liveness_.uses(i->result) == 1) values_.setVariable(i->result, returned_);
    }
}

void LongVectorFunction::copyToPhis(Id block) {
    for (const auto& [to, from] : copies_[block]) {
        liveness_.drop(from);
        if (!values_.isIn(from, to)) values_.copy(from, to);
    }
}

void LongVectorFunction::copyFromPhis(Id block) {
    for (const LongVectorPhi& phi : phis_[block]) values_.defineByPointee(phi.result, phi.incoming);
}

}  // namespace coopvk::rewrite
