// SPDX-License-Identifier: Apache-2.0
//
// Vectors of sixteen 4-bit integers in modules that have some at any byte address. In memory with a
// layout each is an array of two u8x4 (Int4Type::laidOut), since vectors have at most four bytes;
// elsewhere it is two u32.
#pragma once

#include "lowering/memory_types.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

class Vector16Memory final : public MemoryTypes {
 public:
    explicit Vector16Memory(Int4Context& context);

    // Refuse what such arrays do not allow: types with a layout in memory without one, and loads
    // and stores of matrices.
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
