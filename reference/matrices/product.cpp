// SPDX-License-Identifier: Apache-2.0
#include "matrices/product.hpp"

namespace coopvk::reference::matrices {
namespace {

// The lines of a matrix along K, as numbers that sums take.
template <typename T>
struct Lines {
    std::vector<T> values;
    std::vector<bool> defined;  // of each line
    uint32_t length = 0;

    std::span<const T> line(uint32_t index) const {
        return std::span(values).subspan(size_t(index) * length, length);
    }
};

template <typename T>
T valueOf(Number number, uint64_t bits) {
    if constexpr (std::is_same_v<T, double>) {
        return numbers::decodeDouble(number, bits);
    } else {
        return extend(number, bits);
    }
}

template <typename T>
Lines<T> rowsOf(const Matrix& matrix) {
    Lines<T> lines{{}, std::vector<bool>(matrix.rows(), true), matrix.columns()};
    lines.values.reserve(matrix.elements().size());
    for (size_t i = 0; i < matrix.elements().size(); ++i) {
        const Element& element = matrix.elements()[i];
        lines.values.push_back(valueOf<T>(matrix.number(), element.bits));
        if (!element.defined) lines.defined[i / matrix.columns()] = false;
    }
    return lines;
}

Element sum(std::span<const double> a, std::span<const double> b, double c, const SumRule& rule) {
    return {floatSum(a, b, c, rule), true};
}
Element sum(std::span<const Integer> a, std::span<const Integer> b, Integer c,
            const SumRule& rule) {
    return integerSum(a, b, c, rule);
}

template <typename T>
Matrix multiplyAddAs(const Matrix& a, const Matrix& b, const Matrix& c, const SumRule& rule) {
    const Lines<T> rows = rowsOf<T>(a);
    const Lines<T> columns = rowsOf<T>(transpose(b));
    Matrix result(rule.result, a.rows(), b.columns());
    for (uint32_t row = 0; row < a.rows(); ++row) {
        for (uint32_t column = 0; column < b.columns(); ++column) {
            const Element& addend = c.at(row, column);
            Element& element = result.at(row, column);
            SumRule own = rule;
            own.seed += row * 31 + column;
            element =
                sum(rows.line(row), columns.line(column), valueOf<T>(c.number(), addend.bits), own);
            element.defined &= addend.defined && rows.defined[row] && columns.defined[column];
        }
    }
    return result;
}

}  // namespace

Matrix multiplyAdd(const Matrix& a, const Matrix& b, const Matrix& c, const SumRule& rule) {
    return numbers::format(rule.result).floating() ? multiplyAddAs<double>(a, b, c, rule)
                                                   : multiplyAddAs<Integer>(a, b, c, rule);
}

}  // namespace coopvk::reference::matrices
