// SPDX-License-Identifier: Apache-2.0
//
// Parts of functions that may be executed again: straight runs of instructions and whole constructs
// that change nothing but variables of the invocation.
#pragma once

#include <compare>
#include <map>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// In Function::blocks, and in the block's body.
struct Place {
    size_t block = 0;
    size_t at = 0;
    auto operator<=>(const Place&) const = default;
};

// From `begin` up to `end`; the former dominates what lies between, the latter is reached from all
// of it.
struct Segment {
    Place begin;
    Place end;
};

// Whether a pointer is to memory of the invocation.
bool isLocal(const Module& module, Id pointer);

// What functions do, with those that they call.
class FunctionFacts {
 public:
    explicit FunctionFacts(const Module& module);

    bool mayRepeat(const Instruction& i) const;
    // A multiply-add, or a call that leads to one.
    bool multiplies(const Instruction& i) const;
    // A call that leads to a multiply-add or a load of a matrix.
    bool touchesMatrices(const Instruction& call) const;
    const Function* function(Id id) const;

 private:
    struct Facts {
        const Function* function = nullptr;
        bool repeats = true;
        bool multiplies = false;
        bool touches = false;
    };
    // True if a function's facts changed.
    bool spread();

    const Module& module_;
    std::map<Id, Facts> facts_;
};

// The largest segments of a function, of inner loops first, that have multiply-adds.
std::vector<Segment> findSegments(const Module& module, const FunctionFacts& facts,
                                  const Function& function);

// The merge instruction of a block; nullptr where it has none.
const Instruction* mergeOf(const Block& block);

}  // namespace coopvk::rewrite
