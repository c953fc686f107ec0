// SPDX-License-Identifier: Apache-2.0
//
// The elements that a lane holds of a matrix, in a variable: loops read and write them by number.
#pragma once

#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

class ElementArray {
 public:
    // Declares the variable.
    ElementArray(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix);

    // The component of a local element (u32), row by row.
    Id load(Id element) { return emit_.load(matrix_.component, pointer(element)); }
    void store(Id element, Id component) { emit_.store(pointer(element), component); }

    // Stores all elements of a matrix.
    void fill(Id matrix);
    // The matrix of all elements; defines `result` (0: a new id).
    Id whole(Id result = 0);

 private:
    Id pointer(Id element);

    Emitter& emit_;
    const MatrixType& matrix_;
    const bool holdsPacks_;  // the variable is a matrix; else an array of components
    Id variable_ = 0;
};

}  // namespace coopvk::rewrite
