// SPDX-License-Identifier: Apache-2.0
//
// What calls of functions reach.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The functions of a module by id. Valid until functions are added or removed.
class FunctionsById {
 public:
    explicit FunctionsById(const Module& module);
    // nullptr for any other number: calls may name ids that nothing defines.
    const Function* find(Id id) const { return id < byId_.size() ? byId_[id] : nullptr; }

 private:
    std::vector<const Function*> byId_;
};

// Functions and all those that their calls reach.
std::unordered_set<Id> functionsReachedFrom(const Module& module, std::vector<Id> starts);

// The code of a function and of all that its calls reach, each function once.
struct CalledCode {
    size_t words = 0;
    bool hasLoops = false;
};
CalledCode codeOf(const Module& module, Id function);

}  // namespace coopvk::rewrite
