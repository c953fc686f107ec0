// SPDX-License-Identifier: Apache-2.0
//
// Code that does the same as other code: which values correspond, and loops that follow each other.
#pragma once

#include <unordered_map>

#include "ir/loop_slices.hpp"

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
    bool has(Id a) const { return of_.contains(a); }
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

// Finds loops that do the same, one after the other (joinEqualLoops()).

// What counts the iterations of a loop.
struct Counting {
    std::vector<const Instruction*> phis;  // of the header
    Slice test, step;                      // the condition; the phis' next values
};

// A value that both loops change: phis of the second loop's header, of the outer loop's, with which
// the second loop begins, and of the header ahead of the first body.
struct JoinedState {
    Instruction* rest = nullptr;
    const Instruction *outer = nullptr, *first = nullptr;
};

// `outer`, which perhaps has a loop `inner`, and `rest` behind it. The innermost loop's body is
// also that of `rest`. There is nothing else between the headers but code that nothing else uses.
struct LoopPair {
    TestedLoop outer, rest;
    std::optional<TestedLoop> inner;
    std::vector<size_t> body, restBody;  // blocks
    std::vector<JoinedState> state;
    Counting outerCounting, innerCounting;

    bool has(size_t block) const { return block >= outer.header && block < rest.header; }
    const TestedLoop& innermost() const { return inner ? *inner : outer; }
};

class LoopPairs {
 public:
    LoopPairs(const Module& module, const Function& function);

    // Without common loops.
    std::vector<LoopPair> find() const;
    const Users& users() const { return users_; }

 private:
    std::optional<TestedLoop> tested(const Loop& loop) const;
    bool follow(size_t from, size_t to, std::vector<size_t>& blocks) const;
    bool findBody(const TestedLoop& loop, std::vector<size_t>& body) const {
        return follow(loop.first, loop.latch, body);
    }
    bool hasOneWay(const LoopPair& pair) const;
    std::optional<LoopPair> pairOf(const Loop& first, const Loop& rest) const;
    bool isClosed(const LoopPair& pair) const;
    bool hasOnlyTheBody(const LoopPair& pair) const;
    bool isUnusedBehind(const LoopPair& pair) const;
    bool findState(LoopPair& pair, Counterparts& values) const;
    bool haveSameBody(const LoopPair& pair, Counterparts& values) const;
    bool goOnAlike(const LoopPair& pair, const Counterparts& values) const;
    bool isDefinedIn(const LoopPair& pair, Id value) const;
    bool mayRepeat(const Instruction& i) const;
    bool collect(const LoopPair& pair, Id value, Slice& slice) const;
    bool findCounting(const LoopPair& pair, const TestedLoop& loop, Counting& counting) const;

    const Module& module_;
    const Function& function_;
    const BlockGraph graph_;
    const Users users_;
    const Definitions definitions_;
};

}  // namespace coopvk::rewrite
