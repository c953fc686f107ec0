// SPDX-License-Identifier: Apache-2.0
//
// The per-invocation side of a block operation: a pointer to the Function storage class as a run of
// scalars, one behind the other, whatever arrays and vectors they stand in.
#pragma once

#include "matrix/context.hpp"

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

    // Pointer to the scalar `index` (u32) places behind the pointer.
    Id at(Emitter& emit, Id index);

 private:
    Id flatten(Id type);

    LoweringContext& context_;
    Id base_ = 0;
    std::vector<Id> prefix_;         // indices that stay as they are
    std::vector<uint32_t> lengths_;  // of the arrays and the vector below, outermost first
    Id scalar_ = 0;
    uint32_t scalarBytes_ = 0;
    Id origin_ = 0;  // u32, scalars from the outermost array's start to the pointer
};

}  // namespace coopvk::rewrite
