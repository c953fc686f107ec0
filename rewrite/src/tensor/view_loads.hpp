// SPDX-License-Identifier: Apache-2.0
//
// Loads of values of any type with a layout at a number of bytes from the start of a buffer.
#pragma once

#include "ir/memory_operands.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

class ViewLoads {
 public:
    // `place` names variable and descriptor. `at` is named in errors.
    ViewLoads(LoweringContext& context, Emitter& emit, const Instruction& at,
              const BufferPlace& place)
        : context_(context), types_(context.types), emit_(emit), at_(at), place_(place) {}

    // 0, and an error, where the type cannot be loaded. `bytes` is a u32; it is as aligned as
    // `memory` says, else as the parts of the type are.
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
