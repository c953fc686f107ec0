// SPDX-License-Identifier: Apache-2.0
#include "ir/opcodes.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

void dropSemanticDebugSets(Module& module) {
    for (const std::string_view set : {"OpenCL.DebugInfo.100", "DebugInfo"}) module.removeSet(set);
}

void copyBasesOfEmptyChains(Module& module) {
    module.visitBlocks([&](Instruction& i) {
        const bool isChain = isAccessChain(i.opcode) || isUntypedChain(i.opcode);
        if (!isChain || i.operands.size() != firstChainIndex(i.opcode)) return;
        const Operand base = i.operands.back();
        if (module.def(base.word).type != i.type) return;
        i.opcode = spv::Op::OpCopyObject;
        i.operands = {base};
    });
}

}  // namespace coopvk::rewrite
