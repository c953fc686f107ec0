// SPDX-License-Identifier: Apache-2.0
//
// Whole matrices, and what instructions compute of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "execution/value.hpp"
#include "numbers/exact.hpp"

namespace coopvk::reference::matrices {

using numbers::Number;

// rows x columns elements of one format, row by row.
struct Matrix {
    Matrix(Number format, uint32_t height, uint32_t width)
        : number(format), rows(height), columns(width), elements(size_t(height) * width) {}
    // Of element(row, column).
    template <typename F>
    Matrix(Number format, uint32_t height, uint32_t width, F&& element)
        : number(format), rows(height), columns(width) {
        elements.reserve(size_t(rows) * columns);
        for (uint32_t r = 0; r < rows; ++r)
            for (uint32_t c = 0; c < columns; ++c) elements.push_back(element(r, c));
    }
    Element& at(uint32_t r, uint32_t c) { return elements[size_t(r) * columns + c]; }
    const Element& at(uint32_t r, uint32_t c) const { return elements[size_t(r) * columns + c]; }
    std::span<Element> row(uint32_t r) {
        return std::span(elements).subspan(size_t(r) * columns, columns);
    }

    Number number;
    uint32_t rows, columns;
    std::vector<Element> elements;
};

// SPV_KHR_cooperative_matrix, "Conversion Instructions": each element.
Matrix convert(const Matrix& matrix, const numbers::Conversion& conversion);

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixTransposeNV.
Matrix transpose(const Matrix& matrix);

// Vulkan, "Precision of SPIR-V Instructions": products are computed in an implementation-dependent
// order and internal precision. Plain: along K in binary32 (or binary64), then the addend; rounded
// to the result. Shuffled: the same with all addends in an order by the seed. Adversarial: from the
// end of K; each product and sum is rounded to the result's format. Exact: rounded once at the end.
struct SumRule {
    Number result = Number::f32;
    Choice order = Choice::kPlain;
    uint64_t seed = 0;
    bool saturate = false;  // integers: SaturatingAccumulation
};

// SPV_KHR_cooperative_matrix, OpCooperativeMatrixMulAddKHR: a (M x K) times b (K x N), plus c (M x
// N). The signedness of integers is that of the matrices' formats, of the result that of
// rule.result: callers take it from the Cooperative Matrix Operands. An element is defined if those
// of its row of a, its column of b and its element of c are. Integers: without saturation the
// low-order bits of the correct result; with it the sum of products must not overflow (else the
// element is undefined) and the addition of c saturates.
Matrix multiplyAdd(const Matrix& a, const Matrix& b, const Matrix& c, const SumRule& rule);

// Cooperative Matrix Reduce Mode, a mask.
inline constexpr uint32_t kReduceRow = 1, kReduceColumn = 2, kReduce2x2 = 4;

// CombineFunc: element i of `left` becomes its combination with element i of `right`.
using Combine = std::function<void(std::span<Element> left, std::span<const Element> right)>;

struct ReduceOrder {
    bool shuffled = false;  // the elements of a group are combined in an order by the seed
    uint64_t seed = 0;
};

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixReduceNV. `rows` x `columns`: of the result, which
// must suit the mode. The order of combinations is not specified.
Matrix reduce(const Matrix& matrix, uint32_t mode, uint32_t rows, uint32_t columns,
              const ReduceOrder& order, const Combine& combine);

}  // namespace coopvk::reference::matrices
