// SPDX-License-Identifier: Apache-2.0
#include "matrices/reduction.hpp"

#include <algorithm>

#include "matrices/random.hpp"

namespace coopvk::reference::matrices {
namespace {

// The part of the matrix whose elements become one: `height` x `width` elements.
struct Group {
    uint32_t height, width;
};

Group groupOf(const Matrix& matrix, uint32_t mode) {
    if (mode & kReduce2x2) return {2, 2};
    return {mode & kReduceColumn ? matrix.rows() : 1, mode & kReduceRow ? matrix.columns() : 1};
}

// Element `member` of each group.
std::vector<Element> members(const Matrix& matrix, const Group& group, uint64_t member) {
    std::vector<Element> result;
    const auto row = uint32_t(member / group.width);
    const auto column = uint32_t(member % group.width);
    for (uint32_t r = row; r < matrix.rows(); r += group.height) {
        for (uint32_t c = column; c < matrix.columns(); c += group.width) {
            result.push_back(matrix.at(r, c));
        }
    }
    return result;
}

}  // namespace

Matrix reduce(const Matrix& matrix, uint32_t mode, uint32_t rows, uint32_t columns,
              const ReduceOrder& order, Combiner& combiner) {
    const Group group = groupOf(matrix, mode);
    const uint64_t count = uint64_t(group.height) * group.width;
    const Permutation permutation =
        order.shuffled ? Permutation::bySeed(count, order.seed) : Permutation{count};
    std::vector<std::vector<Element>> parts(count);
    for (uint64_t i = 0; i < count; ++i) parts[i] = members(matrix, group, permutation(i));
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
    const uint32_t across = matrix.columns() / group.width;
    Matrix result(matrix.number(), rows, columns);
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            const uint32_t fromRow = mode & kReduceColumn ? 0 : row;
            const uint32_t fromColumn = mode & kReduceRow ? 0 : column;
            result.at(row, column) = parts[0][size_t(fromRow) * across + fromColumn];
        }
    }
    return result;
}

}  // namespace coopvk::reference::matrices
