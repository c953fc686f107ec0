// SPDX-License-Identifier: Apache-2.0
//
// OpTypeMatrix of half floats in memory with a layout. A matrix becomes an array of columns; the
// array in memory has an ArrayStride in place of MatrixStride, and so is a type of its own.
#pragma once

#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

// Gives structures, arrays and pointers with a layout the arrays in memory. Refuses matrices that
// are row-major, or of one type with several strides.
void layOutHalfMatrices(NumbersContext& context);

// Loads, stores and extractions of such matrices.
void addHalfMatrixAccess(OpcodeTable<NumbersFunction>& table);

}  // namespace coopvk::rewrite
