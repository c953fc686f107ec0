// SPDX-License-Identifier: Apache-2.0
//
// Loads of values of any type with an explicit layout, by bytes from the start of a buffer.
#pragma once

#include "ir/memory_operands.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

class ViewLoads {
 public:
    // `place`: the buffer's variable and descriptor. `at`: the instruction for errors.
    ViewLoads(LoweringContext& context, Emitter& emit, const Instruction& at,
              const BufferPlace& place)
        : context_(context), types_(context.types), emit_(emit), at_(at), place_(place) {}

    // The value at `bytes` (bufferIndexType()); 0, with an error, where the type cannot be loaded.
    // The address has the alignment of `memory`; without one, that of the type's parts.
    Id load(Id type, Id bytes, const MemoryOperands& memory);

 private:
    Id refuse(std::string_view what);
    Id numeric(Id type, Id bytes, const MemoryOperands& memory);
    Id structure(Id type, Id bytes, const MemoryOperands& memory);
    Id array(Id type, Id bytes, const MemoryOperands& memory);
    Id element(Id type, Id bytes, const MemoryOperands& memory);
    Id pieces(Id type, Id bytes, uint32_t pieceBytes, const MemoryOperands& memory);

    LoweringContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    const Instruction& at_;
    const BufferPlace& place_;
};

}  // namespace coopvk::rewrite
