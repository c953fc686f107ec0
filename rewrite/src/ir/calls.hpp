// SPDX-License-Identifier: Apache-2.0
//
// What calls of functions reach and do.
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

// Functions and all those that their calls reach. Functions that a global names count as reached.
std::unordered_set<Id> functionsReachedFrom(const Module& module, std::vector<Id> starts);

// The code of a function and of all that its calls reach, each function once.
struct CalledCode {
    size_t words = 0;
    bool hasLoops = false;
};
CalledCode codeOf(const Module& module, Id function);

// What an instruction does besides giving its result. Loads of memory that is not volatile, and
// instructions that only compute or direct control flow, do nothing.
enum Effect : uint32_t {
    kStoresInFunction = 1 << 0,  // to a variable of storage class Function
    kStoresInPrivate = 1 << 1,   // to one of storage class Private
    kIsVolatile = 1 << 2,
    kPrints = 1 << 3,   // may print: instructions of non-semantic sets
    kExtends = 1 << 4,  // other extended instructions
    kSwitches = 1 << 5,
    kLoadsMatrix = 1 << 6,
    kMultiplies = 1 << 7,  // matrices
    // Stores to other memory, atomic instructions, barriers, calls of unknown functions or of one
    // that calls itself, and so on.
    kDoesMore = 1 << 8,
};

// The effects of instructions and of what they call, each function visited once. Valid until
// instructions change.
class Effects {
 public:
    explicit Effects(const Module& module);

    // The bits of Effect.
    uint32_t of(const Instruction& i) const;
    uint32_t ofFunction(Id function) const;
    // Whether calls of a function without pointer parameters only give a result: they store to no
    // variable that outlives the call, and so on.
    bool onlyGivesResult(Id function) const {
        return (ofFunction(function) & ~(kStoresInFunction | kExtends | kSwitches)) == 0;
    }
    // nullptr: the module has no function with this id.
    const Function* function(Id id) const;

 private:
    struct Known {
        uint32_t effects = kDoesMore;  // until it is done
        uint32_t own = 0;              // without those of callees
        std::vector<Id> callees;
        bool isDone = false;
    };
    uint32_t withoutCallee(const Instruction& i) const;
    Known visit(Id function) const;

    const Module& module_;
    FunctionsById functions_;
    mutable std::unordered_map<Id, Known> known_;
};

}  // namespace coopvk::rewrite
