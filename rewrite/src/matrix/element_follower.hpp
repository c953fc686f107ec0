// SPDX-License-Identifier: Apache-2.0
//
// Follows values from what they are made of to what is made of them: through instructions,
// variables of the invocation, calls, and branches.
#pragma once

#include "ir/calls.hpp"
#include "matrix/element_flow.hpp"
#include "matrix/flow_blocks.hpp"
#include "matrix/named_numbers.hpp"

namespace coopvk::rewrite {

class ElementFollower {
 public:
    ElementFollower(const Module& module, const MatrixUses& uses)
        : module_(module),
          users_(module),
          blocks_(module, users_),
          functions_(module),
          numbers_(module, uses),
          known_(module.bound()) {}

    ElementFlow run();

 private:
    void start();
    void markNumber(const Instruction& access, Id number);
    void follow();
    void add(Id id, ElementFacts facts);
    void hold(Id id, ElementFacts& facts);
    void pushCalls(Id parameter);
    ElementFacts controlOf(const Instruction& i) const;
    ElementFacts controlOfBlock(Id id) const;
    void visit(const Instruction& i);
    ElementFacts resultOf(const Instruction& i);
    ElementFacts readBy(const Instruction& load) const;
    ElementFacts loaded(Id pointer);
    ElementFacts joined(const Instruction& phi) const;
    std::optional<ElementNumber> numberOfPart(Id vector, uint32_t part, uint32_t depth = 0) const;

    void store(const Instruction& i, Id pointer, ElementFacts facts, Id value);
    void enter(const Instruction& i, Id matrix, const ElementNumber& number, Id value,
               const ElementFacts& facts);
    void leave(Id place, const ElementFacts& facts, const ElementFacts& control);
    void decide(const Instruction& branch);
    void control(Id id, const Block& block, const ElementFacts& facts);
    void call(const Instruction& i);
    void pass(Id from, Id to);
    void giveBack(const Instruction& i);
    void callForElements(const Instruction& i);

    void push(const Instruction* i) {
        if (isPending_.insert(i).second) pending_.push_back(i);
    }
    void because(std::string_view why) {
        if (isDone_ && flow_.why.empty()) flow_.why = why;
    }
    ElementFacts knownOf(Id id) const { return id < known_.size() ? known_[id] : ElementFacts{}; }

    const Module& module_;
    const Users users_;
    const FlowBlocks blocks_;
    const FunctionsById functions_;
    NamedNumbers numbers_;
    // By id: of values; of variables, what they hold; of functions, what they return.
    std::vector<ElementFacts> known_;
    std::unordered_map<Id, ElementFacts> control_;  // by block or function
    std::unordered_map<Id, ElementFacts> chosen_;   // by block: which way lanes come to it
    std::unordered_map<Id, Id> functionOf_;         // by parameter
    std::unordered_map<const Instruction*, ElementFacts> stored_;  // in plain variables
    std::unordered_set<Id> named_, counts_, carried_, isHeld_;
    std::vector<const Instruction*> pending_;
    std::unordered_set<const Instruction*> isPending_;
    uint32_t steps_ = 0;
    bool isDone_ = false;  // all facts are known
    ElementFlow flow_;
};

}  // namespace coopvk::rewrite
