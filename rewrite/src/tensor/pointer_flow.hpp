// SPDX-License-Identifier: Apache-2.0
//
// Which values of a function are computed of physical pointers that it takes as arguments:
// pointers, and addresses as integers.
#pragma once

#include <set>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// What an argument of a function is.
enum class ArgumentKind : uint32_t {
    kOther,
    kPointer,   // a physical pointer into the buffer
    kVariable,  // a pointer to a variable that holds such a pointer
};

class PointerFlow {
 public:
    PointerFlow(const Module& module, const Function& function,
                std::span<const ArgumentKind> parameters);

    bool isPointer(Id value) const { return pointers_.contains(value); }
    bool isVariable(Id value) const { return variables_.contains(value); }
    ArgumentKind kindOf(Id value) const;
    // Whether an operand is a pointer, or a variable that holds one.
    bool takesPointers(const Instruction& i) const;

 private:
    bool visit(const Instruction& i);
    bool anyIsPointer(const Instruction& i) const;
    bool isAddressType(Id type) const;

    const Module& module_;
    std::set<Id> pointers_, variables_;
};

}  // namespace coopvk::rewrite
