// SPDX-License-Identifier: Apache-2.0
//
// Visits the elements of a matrix that a lane holds, unrolled or in loops.
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
    // Unrolls up to `maxUnrolled` visits.
    TensorWalk(MatrixWriter& writer, const MatrixType& matrix, uint32_t maxUnrolled,
               TensorRun run = {});

    // Whether the numbers of elements are not all constants.
    bool isRolled() const { return rollsRows_; }

    // What a row or column (u32) of the matrix gives to the places of its elements.
    using MakePart = std::function<TensorPart(Id)>;
    // `element` is the number (u32) of the local element, row by row; of a run, that of its first
    // element.
    using Visit = std::function<void(const TensorPart& row, const TensorPart& column, Id element)>;
    void run(const MakePart& ofRow, const MakePart& ofColumn, const Visit& visit);

 private:
    MatrixWriter& writer_;
    const MatrixType& matrix_;
    const TensorRun run_;
    const uint32_t rows_, columns_;  // of runs
    const bool rollsRows_, rollsColumns_;
};

}  // namespace coopvk::rewrite
