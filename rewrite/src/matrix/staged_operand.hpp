// SPDX-License-Identifier: Apache-2.0
//
// How a slice of A or B lies in shared memory: a word holds neighbours along K, along the other
// axis (the line: rows of A, columns of B), or one component. A line after the other along K; in a
// line, runs of words: first one of each lane, then the next one of each.
#pragma once

#include <algorithm>
#include <numeric>

#include "matrix/context.hpp"

namespace coopvk::rewrite {

struct StagedOperand {
    const MatrixType* matrix = nullptr;
    bool isA = true;
    Id component = 0;     // scalar type that is staged
    uint32_t alongK = 1;  // components of a word
    uint32_t alongLine = 1;
    uint32_t first = 0;  // word in shared memory

    const Axis& k() const { return isA ? matrix->fragment.columns : matrix->fragment.rows; }
    const Axis& line() const { return isA ? matrix->fragment.rows : matrix->fragment.columns; }
    // Words of a line that a lane holds, and how many of them follow each other in memory.
    uint32_t laneWords() const { return line().count() / alongLine; }
    uint32_t runWords() const { return std::gcd(laneWords(), 4u); }
    // Lanes that write along K shall reach different banks. Runs of four are whole vectors: their
    // order changes from block to block of K (lane XOR block). Others get padding.
    bool ordersByBlock() const { return runWords() == 4; }
    uint32_t orders() const { return std::min(line().lanes, 8u); }
    uint32_t lineWords() const { return line().size / alongLine + (ordersByBlock() ? 0 : 4); }
    uint32_t words(uint32_t depth) const { return depth / alongK * lineWords(); }
    // The word of a lane, without what depends on lane and block, in the line.
    uint32_t offset(uint32_t word) const {
        return word / runWords() * (line().lanes * runWords()) + word % runWords();
    }
};

// The matrix that a lane multiplies in one step along K, of `depth` columns of A or rows of B.
MatrixType stepType(TypeTable& types, const StagedOperand& operand, uint32_t depth);

}  // namespace coopvk::rewrite
