// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "numbers/exact.hpp"

namespace coopvk::reference::matrices {

using numbers::Number;

struct Element {
    uint64_t bits = 0;
    bool defined = true;
};

// A whole matrix: rows x columns elements of one format, row by row.
class Matrix {
 public:
    Matrix(Number number, uint32_t rows, uint32_t columns)
        : number_(number), rows_(rows), columns_(columns), elements_(size_t(rows) * columns) {}

    Number number() const { return number_; }
    uint32_t rows() const { return rows_; }
    uint32_t columns() const { return columns_; }
    Element& at(uint32_t row, uint32_t column) { return elements_[index(row, column)]; }
    const Element& at(uint32_t row, uint32_t column) const { return elements_[index(row, column)]; }
    std::vector<Element>& elements() { return elements_; }
    const std::vector<Element>& elements() const { return elements_; }

 private:
    size_t index(uint32_t row, uint32_t column) const { return size_t(row) * columns_ + column; }

    Number number_;
    uint32_t rows_, columns_;
    std::vector<Element> elements_;
};

// SPV_KHR_cooperative_matrix, "Conversion Instructions": each element.
Matrix convert(const Matrix& matrix, const numbers::Conversion& conversion);

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixTransposeNV.
Matrix transpose(const Matrix& matrix);

}  // namespace coopvk::reference::matrices
