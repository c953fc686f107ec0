// SPDX-License-Identifier: Apache-2.0
//
// The per-invocation side of a block operation: a pointer to the Function storage class as a run of
// scalars, one behind the other, whatever arrays and vectors they are in.
#pragma once

#include "lowering/context.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

class PrivateMemory {
 public:
    // `at` and `operand` are named in errors.
    PrivateMemory(LoweringContext& context, Emitter& emit, Id pointer, const Instruction& at,
                  std::string_view operand);

    bool valid() const { return scalar_ != 0; }
    Id scalar() const { return scalar_; }
    uint32_t scalarBytes() const { return scalarBytes_; }
    // Scalars from the pointer on; nullopt where that depends on an index.
    std::optional<uint64_t> room() const;

    // Scalars, floats too, are taken apart as integers of their width: declares those. False after
    // an error where the device has none.
    bool declare(const Instruction& at);

    // Bytes from scalar `start` (u32, counted from the pointer) on as components of `unit`, an
    // integer type, and back: what shares the last scalar stays.
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
    std::vector<Id> prefix_;         // indices that stay as they are
    std::vector<uint32_t> lengths_;  // of the arrays and the vector below, outermost first
    Id scalar_ = 0;
    uint32_t scalarBytes_ = 0;
    Id origin_ = 0;  // u32, scalars from the outermost array's start to the pointer
};

}  // namespace coopvk::rewrite
