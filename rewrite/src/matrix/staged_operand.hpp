// SPDX-License-Identifier: Apache-2.0
//
// How a slice of A or B lies in shared memory: a word holds neighbours along K, along the other
// axis (the line: rows of A, columns of B), or one component; words follow each other along the
// line, lines along K.
#pragma once

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
    // With padding, so that lanes that write along K reach different banks.
    uint32_t lineWords() const { return line().size / alongLine + 4; }
    uint32_t words(uint32_t depth) const { return depth / alongK * lineWords(); }
    // Words between the components of a block of the line, from one lane to the next.
    uint32_t blockWords() const { return line().block / alongLine; }
};

// The matrix that a lane multiplies in one step along K, of `depth` columns of A or rows of B.
MatrixType stepType(TypeTable& types, const StagedOperand& operand, uint32_t depth);

}  // namespace coopvk::rewrite
