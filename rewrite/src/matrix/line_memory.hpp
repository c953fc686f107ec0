// SPDX-License-Identifier: Apache-2.0
//
// Shared memory through which lines of a matrix (its rows; for B its columns) go between the lanes'
// arrays and the matrix: for processors on which shuffles of many elements cost too much.
#pragma once

#include "matrix/exchange.hpp"

namespace coopvk::rewrite {

struct MatrixLines {
    bool areColumns = false;
    uint32_t count = 0;
    uint32_t length = 0;
};

// Whether lines should go this way, and can: a shuffle by a number that differs between lanes is
// many instructions, or a loop, where subgroups are wide or have scalar registers.
bool goThroughMemory(const MatrixContext& context, const MatrixLines& lines, Id component);

// Defines `result` as the matrix that has the lanes' lines.
void constructThroughMemory(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix,
                            const MatrixLines& lines, std::span<const Slot> line, Id result);
// This lane's line of a matrix; lanes beyond the last line get some line.
std::vector<Slot> extractThroughMemory(MatrixContext& context, MatrixWriter& writer,
                                       const MatrixType& matrix, const MatrixLines& lines,
                                       Id value);

}  // namespace coopvk::rewrite
