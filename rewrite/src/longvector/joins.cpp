// SPDX-License-Identifier: Apache-2.0
//
// Long vectors that leave a block: for phis, and as results of the function.
#include "ir/opcodes.hpp"
#include "longvector/function.hpp"

namespace coopvk::rewrite {

void LongVectorFunction::planPhis() {
    phis_ = planPhisOf(
        function_, liveness_, [&](Id type) { return context_.lowered(type) != nullptr; },
        [&](Id type) { return slots_.declare(type); });
    for (const PhiInVariable& phi : phis_.inPlace) values_.setVariable(phi.result, phi.incoming);
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
    for (const auto& [to, from] : phis_.copies[block]) {
        liveness_.drop(from);
        if (!values_.isIn(from, to)) values_.copy(from, to);
    }
}

void LongVectorFunction::copyFromPhis(Id block) {
    for (const PhiInVariable& phi : phis_.copied[block]) {
        values_.defineByPointee(phi.result, phi.incoming);
    }
}

}  // namespace coopvk::rewrite
