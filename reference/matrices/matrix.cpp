// SPDX-License-Identifier: Apache-2.0
#include "matrices/matrix.hpp"

namespace coopvk::reference::matrices {

Matrix convert(const Matrix& matrix, const numbers::Conversion& conversion) {
    Matrix result(conversion.to(), matrix.rows(), matrix.columns());
    for (size_t i = 0; i < matrix.elements().size(); ++i) {
        const Element& element = matrix.elements()[i];
        const auto converted = conversion(element.bits);
        result.elements()[i] = {converted.bits, element.defined && converted.defined};
    }
    return result;
}

Matrix transpose(const Matrix& matrix) {
    Matrix result(matrix.number(), matrix.columns(), matrix.rows());
    for (uint32_t row = 0; row < matrix.rows(); ++row) {
        for (uint32_t column = 0; column < matrix.columns(); ++column) {
            result.at(column, row) = matrix.at(row, column);
        }
    }
    return result;
}

}  // namespace coopvk::reference::matrices
