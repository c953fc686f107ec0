// SPDX-License-Identifier: Apache-2.0
#include "optimise/variable_uses.hpp"

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

void VariableUses::clear() {
    for (const Id id : ids_) {
        uses_[numbers_[id] - 1].clear();
        numbers_[id] = 0;
    }
    ids_.clear();
}

void VariableUses::add(Id pointer) {
    if (pointer >= numbers_.size()) numbers_.resize(std::max<size_t>(module_.bound(), pointer + 1));
    ids_.push_back(pointer);
    numbers_[pointer] = static_cast<uint32_t>(ids_.size());
    if (uses_.size() < ids_.size()) uses_.emplace_back();
}

void VariableUses::walk(Function& function) {
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        const InstructionList& body = function.blocks[b]->body;
        for (size_t at = 0; at < body.size(); ++at) {
            Instruction& i = *body[at];
            for (size_t o = 0; o < i.operands.size(); ++o) {
                if (!i.operands[o].isId || !has(i.word(o))) continue;
                uses_[numbers_[i.word(o)] - 1].push_back({&i, o, {b, at}});
                if (isAccessChain(i.opcode) && o == 0 && !has(i.result)) add(i.result);
            }
        }
    }
}

bool isWholeAccess(const Module& module, const Usage& use) {
    const Instruction& i = *use.user;
    return use.operand == 0 && i.operands.size() == (i.opcode == OpStore ? 2 : 1) &&
           isOneOf(i.opcode, {OpLoad, OpStore}) && !module.isDecorated(i.result);
}

}  // namespace coopvk::rewrite
