// SPDX-License-Identifier: Apache-2.0
//
// Copies of instructions.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Puts other ids in place of those among an instruction's operands that a map has.
template <typename Map>
void replaceIds(Instruction& i, const Map& by) {
    for (Operand& o : i.operands) {
        const auto found = o.isId ? by.find(o.word) : by.end();
        if (found != by.end()) o.word = found->second;
    }
}

// A copy of an instruction: with replace(id) in place of each id among its operands, with a new
// result (or `result`), and with the original's names and decorations.
template <typename Replace>
InstructionPtr clone(Module& module, const Instruction& original, Replace replace,
                     std::optional<Id> result = {}) {
    InstructionPtr copy = makeInstruction(original.opcode, original.type, 0, original.operands);
    for (Operand& o : copy->operands) {
        if (o.isId) o.word = replace(o.word);
    }
    if (original.result == 0) return copy;
    copy->result = result ? *result : module.takeId();
    module.copyNamesAndDecorations(original.result, copy->result);
    module.setDef(copy.get());
    return copy;
}

// Copies instructions that name each other.
class Cloner {
 public:
    explicit Cloner(Module& module) : module_(module) {}

    // The id of a copy; the id itself if there is no copy.
    Id operator()(Id id) const {
        const auto found = copies_.find(id);
        return found == copies_.end() ? id : found->second;
    }
    void set(Id id, Id copy) { copies_[id] = copy; }
    // Operands that name copies.
    Operands operator()(Operands operands) const {
        for (Operand& o : operands) {
            if (o.isId) o.word = (*this)(o.word);
        }
        return operands;
    }
    // A copy that names copies. Its result is the one that was set, or new.
    InstructionPtr copy(const Instruction& i) {
        const auto set = copies_.find(i.result);
        InstructionPtr made = clone(
            module_, i, [&](Id id) { return (*this)(id); },
            set == copies_.end() ? std::nullopt : std::optional(set->second));
        if (i.result != 0) copies_[i.result] = made->result;
        return made;
    }

 private:
    Module& module_;
    std::unordered_map<Id, Id> copies_;
};

}  // namespace coopvk::rewrite
