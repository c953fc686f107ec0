// SPDX-License-Identifier: Apache-2.0
//
// Src Pointer or Dst Pointer of a block instruction: a variable's arrays and vectors as a sequence
// of scalars.
#pragma once

#include "lowering/context.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

class PrivateMemory {
 public:
    // Errors name `at` and `operand`.
    PrivateMemory(LoweringContext& context, Emitter& emit, Id pointer, const Instruction& at,
                  std::string_view operand);

    bool valid() const { return scalar_ != 0; }
    Id scalar() const { return scalar_; }
    uint32_t scalarBytes() const { return scalarBytes_; }
    // The number of scalars from the pointer on; nullopt if an index is not constant.
    std::optional<uint64_t> available() const;

    // Declares integers of the width of the scalars, which are split and joined as such. False,
    // with an error, if the device has none.
    bool declare(const Instruction& at);

    // Reads or writes bytes from scalar `start` (u32, counted from the pointer) on as components of
    // the integer type `unit`. The other bytes of the last scalar keep their values.
    std::vector<Slot> read(Emitter& emit, Id start, uint32_t bytes, Id unit);
    void write(Emitter& emit, Id start, std::vector<Slot> units, Id unit);

 private:
    std::string_view resolve(Emitter& emit, Id pointer);
    Id flatten(Id type);
    Id at(Emitter& emit, Id index);
    Id integer() { return context_.types.intType(scalarBytes_ * 8, false); }
    Id load(Emitter& emit, Id index);

    LoweringContext& context_;
    Id base_ = 0;
    std::vector<Id> prefix_;         // the indices up to the last structure
    std::vector<uint32_t> lengths_;  // of the arrays and the vector in it, outermost first
    Id scalar_ = 0;
    uint32_t scalarBytes_ = 0;
    Id origin_ = 0;  // u32: index of the pointer's scalar in the outermost array
};

}  // namespace coopvk::rewrite
