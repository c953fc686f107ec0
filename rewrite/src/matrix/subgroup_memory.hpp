// SPDX-License-Identifier: Apache-2.0
//
// Conversions that move many elements between the lanes of a subgroup go through shared memory:
// each lane stores what it holds and loads what it gets. By shuffles, a lane would get the elements
// of many lanes, and keep few of them: thousands of instructions, and more values at a time than
// compilers of some drivers can have.
#pragma once

#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"

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

// Converts between a matrix and arrays of the lanes, one for each line (row; of B, column), through
// shared memory: for processors on which shuffles of many elements cost too much.

struct MatrixLines {
    bool areColumns = false;
    uint32_t count = 0;
    uint32_t length = 0;
};

// Whether the functions below are faster than shuffles, and there is enough shared memory. A
// shuffle from a lane whose number differs between lanes is many instructions, or a loop, where
// subgroups are wide or have scalar registers.
bool usesLineMemory(const MatrixContext& context, const MatrixLines& lines, Id component);

// Defines `result` as the matrix of the lanes' lines.
void constructThroughMemory(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix,
                            const MatrixLines& lines, std::span<const Slot> line, Id result);
// This lane's line of a matrix; lanes beyond the last line get any line.
std::vector<Slot> extractThroughMemory(MatrixContext& context, MatrixWriter& writer,
                                       const MatrixType& matrix, const MatrixLines& lines,
                                       Id value);

}  // namespace coopvk::rewrite
