// SPDX-License-Identifier: Apache-2.0
//
// The optimiser of what lowering makes. Each pass leaves a valid module as it found one, and needs
// nothing else; what may move, repeat or vanish is for ir/effects to say. dead_code.hpp has those
// that remove what nothing reads.
#pragma once

#include <functional>
#include <unordered_map>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Values that take the place of others, by id.
class ReplacedValues {
 public:
    void replace(Id value, Id by) { by_[value] = by; }
    bool has(Id value) const { return by_.contains(value); }
    bool empty() const { return by_.empty(); }
    // What stands for a value now; itself, if nothing replaced it.
    Id of(Id value) const;
    // Puts what stands for its operands now into an instruction.
    void update(Instruction& i) const {
        if (empty()) return;
        for (Operand& o : i.operands) {
            if (o.isId && has(o.word)) o.word = of(o.word);
        }
    }
    // Into all of a function. The values are forgotten: what defined them is gone.
    void update(Module& module, const Function& function);

 private:
    std::unordered_map<Id, Id> by_;
};

// mem2reg without phis: values take the place of variables of a function that are only loaded and
// stored as a whole. Where different values would meet, or nothing was stored, the variable stays.
//
//   OpStore %v %x
//   %y = OpLoad %t %v           is %x
using MayForward = std::function<bool(const Instruction& variable)>;
void forwardVariables(Module& module, Function& function, const MayForward& mayForward);

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
void shareEqualValues(TypeTable& types, Function& function, Within within);

}  // namespace coopvk::rewrite
