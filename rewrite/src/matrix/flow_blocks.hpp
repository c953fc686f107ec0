// SPDX-License-Identifier: Apache-2.0
//
// Where the instructions of a module are, which blocks a branch decides about, and which values
// differ from one iteration of a loop to the next.
#pragma once

#include <memory>
#include <unordered_map>

#include "ir/blocks.hpp"
#include "ir/users.hpp"

namespace coopvk::rewrite {

struct FlowFunction {
    explicit FlowFunction(const Function& f);

    const Function& function;
    const BlockGraph graph;
    const std::vector<size_t> meets;  // by block: its immediate post-dominator
};

struct FlowPlace {
    const FlowFunction* in = nullptr;  // nullptr: no block has it
    size_t block = 0, at = 0;
};

// Valid until instructions are added, removed or changed.
class FlowBlocks {
 public:
    FlowBlocks(const Module& module, const Users& users);

    const std::vector<std::unique_ptr<FlowFunction>>& functions() const { return functions_; }
    FlowPlace placeOf(const Instruction& i) const;

    // The blocks that run or not as the end of this one decides.
    std::vector<size_t> decidedBy(const FlowFunction& in, size_t block) const;
    // Whether the end of a block decides whether a loop goes on.
    bool leavesLoop(const FlowFunction& in, size_t block) const;
    // Whether blocks have operations on whole matrices: all lanes of a subgroup run these, or none.
    bool haveMatrixOperations(const FlowFunction& in, const std::vector<size_t>& blocks) const;

    // Phis and variables of the invocation that an iteration of a loop reads as the one before
    // left them.
    std::vector<Id> carried(const FlowFunction& in, const Loop& loop) const;
    bool isCarried(const FlowFunction& in, const Loop& loop, Id phiOrVariable) const;

    // Whether a pointer is a variable of a function that is only loaded and stored as a whole.
    bool isPlainVariable(Id pointer) const;
    // The stores to such a variable that a load may read.
    std::vector<const Instruction*> storesReadBy(const Instruction& load) const;
    // The last store to a variable in the load's block ahead of it, if the variable is only loaded
    // otherwise, as a whole or in parts; else nullptr.
    const Instruction* wholeStoreBefore(const Instruction& load, Id variable) const;

 private:
    bool readsFromBefore(const FlowPlace& place, const Loop& loop, Id variable) const;
    bool isVariableCarried(const FlowFunction& in, const Loop& loop, Id variable) const;

    const Module& module_;
    const Users& users_;
    std::vector<std::unique_ptr<FlowFunction>> functions_;
    std::unordered_map<const Instruction*, FlowPlace> places_;
    mutable std::unordered_map<Id, bool> isPlain_;  // variables that were asked for
    std::unordered_set<Id> haveMatrixOperations_;   // functions, with what they call
};

}  // namespace coopvk::rewrite
