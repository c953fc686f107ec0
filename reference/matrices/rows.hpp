// SPDX-License-Identifier: Apache-2.0
//
// The families of instructions of cooperative matrices and vectors.
#pragma once

#include "execution/opcode_table.hpp"

namespace coopvk::reference {

Rows matrixRows();        // products, lengths, coordinates, conversions of use, transposition
Rows matrixMemoryRows();  // loads and stores
Rows callbackRows();      // reductions and per-element operations
Rows tensorRows();        // tensor layouts and views
Rows tensorMemoryRows();  // loads and stores by these
Rows vectorRows();        // cooperative vectors
Rows trainingRows();      // what adds to memory
Rows blockRows();         // 2D block I/O
Rows arrayRows();         // matrices from and to arrays

namespace matrices {

// For OpFConvert, OpConvertFToS and so on: the handler for a cooperative matrix whose Use changes
// or that is transposed; null for all others, whose components are converted where they are.
Handler matrixConversion(const Program& program, const Instruction& instruction);

}  // namespace matrices

}  // namespace coopvk::reference
