// SPDX-License-Identifier: Apache-2.0
//
// Vectors of sixteen 4-bit integers in modules whose layouts put some of them at any byte. No
// vector of SPIR-V has eight bytes, so each is an array of two u8x4 in memory with a layout
// (Int4Type::laidOut); elsewhere it is two u32.
#pragma once

#include "lowering/memory_types.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

class LaidOutSixteens final : public MemoryTypes {
 public:
    explicit LaidOutSixteens(Int4Context& context);

    // Refuses what such arrays do not allow: types that have a layout in memory without one, and
    // loads and stores of matrices.
    void checkPointers();
    void checkMatrix(const Instruction& access);

 private:
    bool isPointer(Id type) const override;
    Id scalarInMemory(Id type) const override;
    Id convertScalar(Emitter& emit, Id value, Id type) const override;

    Int4Context& int4_;
    const bool any_;
};

}  // namespace coopvk::rewrite
