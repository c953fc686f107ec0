// SPDX-License-Identifier: Apache-2.0
#include "ir/blocks.hpp"

namespace coopvk::rewrite {

std::unique_ptr<Block> makeBlock(Module& module, Id label) {
    auto block = std::make_unique<Block>();
    block->label = makeInstruction(spv::Op::OpLabel, 0, label != 0 ? label : module.takeId(), {});
    module.setDef(block->label.get());
    return block;
}

void branchTo(Block& block, Id label) {
    block.body.push_back(makeInstruction(spv::Op::OpBranch, 0, 0, {idOperand(label)}));
}

void renameParent(const Function& function, Id from, Id to) {
    for (const auto& block : function.blocks) {
        for (const InstructionPtr& i : block->body) {
            if (i->opcode != spv::Op::OpPhi) continue;
            for (size_t p = 1; p < i->operands.size(); p += 2) {
                if (i->word(p) == from) i->operands[p].word = to;
            }
        }
    }
}

Block& splitBlock(Module& module, Function& function, size_t block, size_t at) {
    Block& first = *function.blocks[block];
    std::unique_ptr<Block> made = makeBlock(module);
    Block& second = *made;
    second.body = takeFrom(first.body, at);
    branchTo(first, second.id());
    renameParent(function, first.id(), second.id());
    function.blocks.insert(function.blocks.begin() + static_cast<std::ptrdiff_t>(block + 1),
                           std::move(made));
    return second;
}

}  // namespace coopvk::rewrite
