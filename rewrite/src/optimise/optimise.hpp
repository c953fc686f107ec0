// SPDX-License-Identifier: Apache-2.0
//
// The optimiser of what lowering makes. Each pass leaves a valid module as it found one, and needs
// nothing else; what may move, repeat or vanish is for ir/effects to say. dead_code.hpp has those
// that remove what nothing reads.
#pragma once

#include <functional>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Values that take the place of others.
class ReplacedValues {
 public:
    explicit ReplacedValues(Module& module) : module_(module) {}

    void replace(Id value, Id by) {
        if (value >= by_.size()) by_.resize(std::max<size_t>(module_.bound(), value + size_t{1}));
        by_[value] = by;
        gone_.push_back(value);
    }
    bool has(Id value) const { return value < by_.size() && by_[value] != 0; }
    bool empty() const { return gone_.empty(); }
    // What stands for a value now; itself, if nothing replaced it.
    Id of(Id value) const;
    // Puts what stands for its operands now into an instruction.
    void update(Instruction& i) const {
        for (Operand& o : i.operands) {
            if (o.isId && has(o.word)) o.word = of(o.word);
        }
    }
    // Into all of a function. The values are forgotten: what defined them is gone.
    void update(const Function& function);

 private:
    Module& module_;
    std::vector<Id> by_;  // by id; 0: nothing replaced it
    std::vector<Id> gone_;
};

// SROA: variables of functions of which constant indices lead to each load and store become one for
// each part.
//
//   %v = OpVariable %array               %v0 = OpVariable %element
//   %p = OpAccessChain %element %v %0    OpStore %v0 %x
//   OpStore %p %x
void splitVariables(TypeTable& types);

// mem2reg: values take the place of variables of a function that are only loaded and stored as a
// whole, with phis where ways meet on which different values are stored.
//
//   OpStore %v %x
//   %y = OpLoad %t %v           is %x
using MayForward = std::function<bool(const Instruction& variable)>;
void forwardVariables(Module& module, const MayForward& mayForward);

// The value of an instruction, if another one has it already or it is a constant: copies, parts of
// what is put together, composites of all parts of another one, numbers that are known, neutral
// operands, phis of one value. May also change the instruction so that it names what is further
// up. nullopt: neither.
std::optional<Id> simplified(TypeTable& types, Instruction& i);

// GVN: each instruction that computes an equal value is replaced by the first of its block or, in
// the whole function, by one of a block that dominates it. Simplifies instructions on the way.
enum class Within {
    kBlock,
    kFunction,  // registers hold values for longer
};
void shareEqualValues(TypeTable& types, Within within);

// Blocks go into the only one that leads to them, if that leads to nothing else.
void mergeBlocks(Module& module);

// All of these.
void optimise(TypeTable& types, Within within);

}  // namespace coopvk::rewrite
