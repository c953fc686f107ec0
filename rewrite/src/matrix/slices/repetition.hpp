// SPDX-License-Identifier: Apache-2.0
//
// Whether a loop may execute a segment once for each slice of its products along K.
#pragma once

#include <set>

#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

// Executes a segment's instructions as far as values are known, such as the counters of its loops,
// and checks that:
//   - each multiply-add takes an A and a B that the segment has loaded, of types in `sliced`, and
//     a C from the variable to which its result is stored;
//   - the segment stores the same values to other variables in each iteration: it stores to each
//     of these before it loads from it.
// Then the sum of the products of all slices is the whole product.
class Repetition {
 public:
    Repetition(const Module& module, const FunctionFacts& facts, const std::set<Id>& sliced)
        : module_(module), facts_(facts), sliced_(sliced) {}

    bool holds(const Function& function, const Segment& segment);
    // The loads of matrices, multiply-adds and calls in the last segment.
    const std::set<const Instruction*>& executed() const { return executed_; }

 private:
    enum class Kind { kUnknown, kNumber, kPointer, kFactor, kSum };
    // A variable of the invocation, and constant indices into it.
    using Path = std::vector<uint64_t>;
    struct Value {
        Kind kind = Kind::kUnknown;
        uint64_t number = 0;     // of a sum: how many stores to its path there were at its load
        Path path;               // of a pointer: what it points to; of a sum: where it was loaded
        bool isInexact = false;  // points to an unknown part of what `path` leads to
    };
    struct Position {
        const Function* function;
        size_t block, at;
    };

    // These return false where the segment may not be repeated, or a value is not known that
    // matters.
    bool run(const Function& function, Position at, const Place* end, Value* returned);
    bool enter(Position& at, Id label);
    bool branch(Position& at, const Instruction& i);
    bool execute(const Instruction& i);
    bool call(const Instruction& i);
    bool load(const Instruction& i);
    bool store(const Instruction& i);
    bool multiply(const Instruction& i);
    void followChain(const Instruction& i);
    bool compute(const Instruction& i);
    Value valueOf(Id id) const;
    bool storedParts(const Path& path) const;
    bool hasSums(const Path& path) const;

    const Module& module_;
    const FunctionFacts& facts_;
    const std::set<Id>& sliced_;
    std::map<Id, Value> values_;
    std::map<Path, Value> stored_;
    std::map<Path, uint64_t> sums_;    // stores to each
    std::set<uint64_t> loadedBefore_;  // variables that were loaded before any store
    std::set<const Instruction*> executed_;
    uint32_t steps_ = 0;
    uint32_t calls_ = 0;  // depth of calls
};

}  // namespace coopvk::rewrite
