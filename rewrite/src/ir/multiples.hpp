// SPDX-License-Identifier: Apache-2.0
//
// Which powers of two divide the integers that a module computes, whatever its inputs are:
//
//   for (i = 0; ...; i += 16) a = row * 64 + i;        16 divides a
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

class Multiples {
 public:
    // What is taken for granted of a value that is not computed in the module.
    enum class Unknown {
        // Nothing: it is a multiple of 1.
        kAnything,
        // A program that keeps to the rules gave it, so it is a multiple of 64. What of() says is
        // then a claim of the module: less than 64 only where its own constants, or the number of
        // an invocation, are no multiples.
        kMultiples,
    };

    // Knows the ids that the module has now; of() also takes what is computed from them later.
    explicit Multiples(const Module& module, Unknown unknown = Unknown::kAnything);

    // A power of two, 64 at most, that divides an integer, or each component of a vector.
    uint32_t of(Id integer) const { return 1u << zerosOf(integer); }

 private:
    // What gives an id a value: its instruction; or an operand of one that stores to a variable, or
    // passes it to a parameter.
    struct Fact {
        Id id;
        const Instruction* from;
        std::optional<size_t> operand = {};
    };

    bool isTrusting() const { return unknown_ == Unknown::kMultiples; }
    void visit(const Instruction& i);
    void visitTrusting(const Instruction& i);
    // Applies each fact once. Whether an id has fewer zeros now.
    bool removesZeros();
    // The variable of the invocation that a pointer leads to; 0 for others.
    Id variableOf(Id pointer) const;
    uint32_t zerosOf(Id integer) const;
    // The least of zerosOf() of some operands.
    uint32_t leastOf(const Instruction& i, size_t first, size_t count, size_t step = 1) const;
    uint32_t evaluate(const Instruction& i) const;
    uint32_t evaluateLoad(const Instruction& load) const;
    uint32_t evaluatePart(const Instruction& extract) const;

    const Module& module_;
    Unknown unknown_;
    uint32_t zerosOfUnknown_;
    std::unordered_map<Id, const Function*> functions_;
    std::vector<Fact> facts_;
    std::vector<uint8_t> zeros_;  // low bits of an id that are zero; of a variable, of all it holds
};

}  // namespace coopvk::rewrite
