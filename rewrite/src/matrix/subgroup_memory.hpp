// SPDX-License-Identifier: Apache-2.0
//
// Conversions that move many elements between the lanes of a subgroup go through shared memory:
// each lane stores what it holds and loads what it gets. By shuffles, a lane would get the elements
// of many lanes, and keep few of them: thousands of instructions, and more values at a time than
// compilers of some drivers can have.
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

// Both are distributed to the lanes of a subgroup, and have equal components.
struct SubgroupMove {
    const MatrixType& from;
    const MatrixType& to;
    bool transposes = false;
};

// Whether `shuffles` shuffles are more than shared memory should spare, and there is enough of it.
bool usesSubgroupMemory(MatrixContext& context, const SubgroupMove& move, uint64_t shuffles);

// Defines `result` as the matrix with the elements of `value`. Needs usesSubgroupMemory().
void moveThroughMemory(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                       Id value, Id result);

}  // namespace coopvk::rewrite
