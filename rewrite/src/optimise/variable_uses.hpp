// SPDX-License-Identifier: Apache-2.0
//
// The uses of some of a function's variables, and of pointers to their parts, by one walk.
#pragma once

#include "ir/users.hpp"

namespace coopvk::rewrite {

class VariableUses {
 public:
    explicit VariableUses(Module& module) : module_(module) {}

    // Those of the variables in a function for which isWanted(variable) is true. What was
    // collected before is forgotten.
    template <typename IsWanted>
    void collect(Function& function, const IsWanted& isWanted) {
        clear();
        if (function.blocks.empty()) return;
        for (const InstructionPtr& i : function.blocks.front()->body) {
            if (i->opcode == OpVariable && isWanted(*i)) add(i->result);
        }
        if (!empty()) walk(function);
    }

    bool empty() const { return ids_.empty(); }
    // Whether test(pointer) is true for one of them.
    template <typename Test>
    bool any(Test test) const {
        return std::ranges::any_of(ids_, test);
    }
    bool has(Id pointer) const { return pointer < numbers_.size() && numbers_[pointer] != 0; }
    std::span<const Usage> of(Id pointer) const {
        if (!has(pointer)) return {};
        return uses_[numbers_[pointer] - 1];
    }

 private:
    void clear();
    void add(Id pointer);
    void walk(Function& function);

    Module& module_;
    std::vector<uint32_t> numbers_;         // by id, from 1; 0: it is none of them
    std::vector<Id> ids_;                   // that have numbers
    std::vector<std::vector<Usage>> uses_;  // by number
};

// Whether a use of a pointer loads or stores all that it points to, is not volatile, and gives a
// value without decorations.
bool isWholeAccess(const Module& module, const Usage& use);

}  // namespace coopvk::rewrite
