// SPDX-License-Identifier: Apache-2.0
//
// Code that does the same as other code: which values correspond.
#pragma once

#include <unordered_map>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Which values of one piece of code correspond to those of another one. All other values are their
// own counterparts.
class Counterparts {
 public:
    explicit Counterparts(const Module& module) : module_(module) {}

    // False if `a` has another counterpart already.
    bool add(Id a, Id b) {
        const auto [known, isNew] = of_.try_emplace(a, b);
        return isNew || known->second == b;
    }
    bool areSame(Id a, Id b) const {
        const auto known = of_.find(a);
        return (known == of_.end() ? a : known->second) == b;
    }
    // Whether instructions are the same but for the ids of operands, with the same decorations.
    bool areAlike(const Instruction& a, const Instruction& b) const;
    // areAlike(), with operands that correspond.
    bool areEqual(const Instruction& a, const Instruction& b) const;

 private:
    const Module& module_;
    std::unordered_map<Id, Id> of_;
};

}  // namespace coopvk::rewrite
