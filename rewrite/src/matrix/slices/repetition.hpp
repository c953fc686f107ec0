// SPDX-License-Identifier: Apache-2.0
//
// Whether a segment may be executed once for each slice of its products along K.
#pragma once

#include <set>

#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

// Follows a segment's instructions, with its own loop counters as numbers, and looks whether:
//   - each multiply-add takes A and B that were loaded in the segment, of types in `sliced`, and C
//     from where its result goes;
//   - what the segment writes otherwise, it writes the same each time: nothing is read ahead of
//     being written.
// Then products of slices, one after the other, add up to the whole ones.
class Repetition {
 public:
    Repetition(const Module& module, const FunctionFacts& facts, const std::set<Id>& sliced)
        : module_(module), facts_(facts), sliced_(sliced) {}

    bool holds(const Function& function, const Segment& segment);
    // Loads, multiply-adds and calls that the last segment executes.
    const std::set<const Instruction*>& met() const { return met_; }

 private:
    enum class Kind { kUnknown, kNumber, kPointer, kFactor, kSum };
    // Variable and constant indices; empty: no variable of the invocation.
    using Path = std::vector<uint64_t>;
    struct Value {
        Kind kind = Kind::kUnknown;
        uint64_t number = 0;   // of sums: how often their place was written when they were read
        Path path;             // what is pointed to, or where a sum is kept
        bool isVague = false;  // points somewhere below `path`
    };
    struct At {
        const Function* function;
        size_t block, at;
    };

    bool run(const Function& function, At at, const Place* end, Value* returned);
    // Goes to a block by its label; false where there is none.
    bool enter(At& at, Id label);
    bool branch(At& at, const Instruction& i);
    bool execute(const Instruction& i);
    bool call(const Instruction& i);
    bool load(const Instruction& i);
    bool store(const Instruction& i);
    bool multiply(const Instruction& i);
    void point(const Instruction& i);
    bool compute(const Instruction& i);
    Value valueOf(Id id) const;
    bool touchesParts(const Path& path) const;
    bool hasSums(const Path& path) const;

    const Module& module_;
    const FunctionFacts& facts_;
    const std::set<Id>& sliced_;
    std::map<Id, Value> values_;
    std::map<Path, Value> stored_;
    std::map<Path, uint64_t> sums_;  // how often each was written
    std::set<uint64_t> readAhead_;   // variables
    std::set<const Instruction*> met_;
    uint32_t steps_ = 0;
    uint32_t calls_ = 0;  // nested now
};

}  // namespace coopvk::rewrite
