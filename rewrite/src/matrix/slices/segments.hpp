// SPDX-License-Identifier: Apache-2.0
//
// Segments: parts of functions that a loop may execute again. They consist of instructions and
// whole constructs that change only variables of the invocation.
#pragma once

#include <compare>
#include <map>

#include "ir/blocks.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite {

// Ahead of an instruction: indices into Function::blocks and into the block's body.
struct Place {
    size_t block = 0;
    size_t at = 0;
    auto operator<=>(const Place&) const = default;
};

// The instructions from `begin` up to `end`. `begin` dominates them, and all of them lead to `end`.
struct Segment {
    Place begin;
    Place end;
};

// Whether a pointer points to a variable of the invocation.
bool isLocal(const Module& module, Id pointer);

// What the functions of a module do, themselves or by calls.
class FunctionFacts {
 public:
    explicit FunctionFacts(const Module& module);

    // Whether executing the instruction again changes nothing but variables of the invocation.
    bool mayRepeat(const Instruction& i) const;
    // Whether it is a multiply-add, or a call that leads to one.
    bool multiplies(const Instruction& i) const;
    // Whether it is a call that leads to a multiply-add or a load of a matrix.
    bool usesMatrices(const Instruction& call) const;
    const Function* function(Id id) const;
    const BlockGraph& graph(const Function& function) const { return graphs_.at(&function); }

 private:
    struct Facts {
        const Function* function = nullptr;
        bool repeats = true;
        bool multiplies = false;
        bool usesMatrices = false;
    };
    // Updates all facts by those of callees. True if any changed.
    bool propagate();
    // Of the function that an instruction calls; nullptr: it is not a call of one in the module.
    const Facts* callee(const Instruction& i) const;

    const Module& module_;
    std::map<Id, Facts> facts_;
    std::map<const Function*, BlockGraph> graphs_;
};

// The largest segments of a function that have multiply-adds, those in inner loops first.
std::vector<Segment> findSegments(const FunctionFacts& facts, const Function& function);

}  // namespace coopvk::rewrite
