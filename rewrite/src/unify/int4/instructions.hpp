// SPDX-License-Identifier: Apache-2.0
//
// Lowers instructions on 4-bit integers.
#pragma once

#include "lowering/opcode_table.hpp"
#include "unify/int4/values.hpp"
#include "unify/int4/vector16.hpp"

namespace coopvk::rewrite {

struct Int4Function : FunctionLowering<Int4Context> {
    Int4Function(Int4Context& theContext, Vector16Memory& theMemory, Function& function)
        : FunctionLowering(theContext, function),
          memory(theMemory),
          values(theContext, writer.emit()) {}

    Vector16Memory& memory;
    Int4Values values;
};

// Loads, stores and copies, also of single components, and access chains.
void addInt4Accesses(OpcodeTable<Int4Function>& table);

// Composite instructions on vectors.
void addInt4Composites(OpcodeTable<Int4Function>& table);

// Conversions and bitcasts.
void addInt4Conversions(OpcodeTable<Int4Function>& table);

// Changes a constant of 4-bit scalar or vector type in place; other constants stay unchanged.
void lowerInt4Constant(Int4Context& context, Instruction& constant);

}  // namespace coopvk::rewrite
