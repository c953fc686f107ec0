// SPDX-License-Identifier: Apache-2.0
//
// The families of instructions, each in a file of its own.
#pragma once

#include "execution/opcode_table.hpp"

namespace coopvk::reference {

Rows controlRows();     // branches, calls, returns
Rows barrierRows();     // barriers, and hints that do nothing
Rows compositeRows();   // composites, vectors, copies, selection
Rows integerRows();     // integer arithmetic and logic
Rows floatRows();       // floating-point arithmetic
Rows comparisonRows();  // comparisons, booleans, classes of numbers
Rows conversionRows();  // between numbers, and of bits
Rows bitRows();         // shifts and fields of bits
Rows dotRows();         // integer dot products
Rows linearRows();      // vectors and matrices of linear algebra
Rows groupRows();       // subgroups: arithmetic
Rows voteRows();        // subgroups: votes, ballots, shuffles

// GLSL.std.450
Rows glslFloatRows();        // rounding, minimum, maximum, interpolation
Rows glslExponentialRows();  // trigonometry, exponentials, roots
Rows glslIntegerRows();      // integers, bits, packing
Rows glslVectorRows();       // geometry, matrices, structures

// NonSemantic.DebugPrintf
Rows printRows();

}  // namespace coopvk::reference
