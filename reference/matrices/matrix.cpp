// SPDX-License-Identifier: Apache-2.0
#include "matrices/matrix.hpp"

#include <algorithm>

#include "matrices/placement.hpp"

namespace coopvk::reference::matrices {

Matrix convert(const Matrix& matrix, const numbers::Conversion& conversion) {
    Matrix result(conversion.to(), matrix.rows(), matrix.columns());
    for (uint32_t row = 0; row < matrix.rows(); ++row) {
        for (uint32_t column = 0; column < matrix.columns(); ++column) {
            const Element& element = matrix.at(row, column);
            const numbers::Converted converted = conversion(element.bits);
            result.at(row, column) = {converted.bits, element.defined && converted.defined};
        }
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

Matrix reduce(const Matrix& matrix, uint32_t mode, uint32_t rows, uint32_t columns,
              const ReduceOrder& order, Combiner& combiner) {
    // height x width elements become one.
    const uint32_t height = mode & kReduce2x2 ? 2 : mode & kReduceColumn ? matrix.rows() : 1;
    const uint32_t width = mode & kReduce2x2 ? 2 : mode & kReduceRow ? matrix.columns() : 1;
    const uint64_t count = uint64_t(height) * width;
    const Permutation permutation =
        order.shuffled ? Permutation::bySeed(count, order.seed) : Permutation{count};
    // Part i: one element of each group.
    std::vector<std::vector<Element>> parts(count);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t member = permutation(i);
        for (auto r = uint32_t(member / width); r < matrix.rows(); r += height) {
            for (auto c = uint32_t(member % width); c < matrix.columns(); c += width) {
                parts[i].push_back(matrix.at(r, c));
            }
        }
    }
    // Neighbours are combined, then the results, until one remains.
    for (uint64_t distance = 1; distance < count; distance *= 2) {
        std::vector<Element> left, right;
        for (uint64_t i = 0; i + distance < count; i += 2 * distance) {
            left.insert(left.end(), parts[i].begin(), parts[i].end());
            right.insert(right.end(), parts[i + distance].begin(), parts[i + distance].end());
        }
        combiner.combine(left, right);
        auto next = left.begin();
        for (uint64_t i = 0; i + distance < count; i += 2 * distance) {
            std::copy_n(next, parts[i].size(), parts[i].begin());
            next += std::ptrdiff_t(parts[i].size());
        }
    }
    Matrix result(matrix.number(), rows, columns);
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            const size_t fromRow = mode & kReduceColumn ? 0 : row;
            const size_t fromColumn = mode & kReduceRow ? 0 : column;
            result.at(row, column) = parts[0][fromRow * (matrix.columns() / width) + fromColumn];
        }
    }
    return result;
}

}  // namespace coopvk::reference::matrices
