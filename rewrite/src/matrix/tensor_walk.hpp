// SPDX-License-Identifier: Apache-2.0
//
// Goes through the elements of a matrix that a lane holds: one after the other, or in loops.
#pragma once

#include "matrix/matrix_writer.hpp"
#include "tensor/tensor_address.hpp"

namespace coopvk::rewrite {

// Neighbours that are visited together.
struct TensorRun {
    uint32_t length = 1;
    bool alongRow = true;  // else along a column

    uint32_t rows() const { return alongRow ? 1 : length; }
    uint32_t columns() const { return alongRow ? length : 1; }
};

class TensorWalk {
 public:
    // In loops where that leaves more than `mostUnrolled` visits in one piece.
    TensorWalk(MatrixWriter& writer, const MatrixType& matrix, uint32_t mostUnrolled,
               TensorRun run = {});

    // Whether the number of an element is no constant.
    bool isRolled() const { return rollsRows_; }

    // What is made of the matrix row or column (u32) of local ones, once for each.
    using MakePart = std::function<TensorPart(Id)>;
    // `element` is the number (u32) of the local element, row by row: of a run, the first.
    using Visit = std::function<void(const TensorPart& row, const TensorPart& column, Id element)>;
    void run(const MakePart& ofRow, const MakePart& ofColumn, const Visit& visit);

 private:
    Id indexOf(const Axis& axis, Id lane, Id local);

    MatrixWriter& writer_;
    const MatrixType& matrix_;
    const TensorRun run_;
    const uint32_t rows_, columns_;  // of runs
    const bool rollsRows_, rollsColumns_;
};

}  // namespace coopvk::rewrite
