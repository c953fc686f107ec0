// SPDX-License-Identifier: Apache-2.0
//
// Converts between a matrix and arrays of the lanes, one for each line (row; of B, column), through
// shared memory: for processors on which shuffles of many elements cost too much.
#pragma once

#include "matrix/exchange.hpp"

namespace coopvk::rewrite {

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
