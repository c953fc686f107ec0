// SPDX-License-Identifier: Apache-2.0
//
// Whole matrices, and what instructions compute of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coopvk_reference/settings.hpp"
#include "numbers/exact.hpp"

namespace coopvk::reference::matrices {

using numbers::Number;

struct Element {
    uint64_t bits = 0;
    bool defined = true;
};

// rows x columns elements of one format, row by row.
class Matrix {
 public:
    Matrix(Number number, uint32_t rows, uint32_t columns)
        : number_(number), rows_(rows), columns_(columns), elements_(size_t(rows) * columns) {}

    Number number() const { return number_; }
    uint32_t rows() const { return rows_; }
    uint32_t columns() const { return columns_; }
    Element& at(uint32_t row, uint32_t column) { return elements_[index(row, column)]; }
    const Element& at(uint32_t row, uint32_t column) const { return elements_[index(row, column)]; }
    std::span<Element> row(uint32_t row) { return {elements_.data() + index(row, 0), columns_}; }
    std::span<const Element> row(uint32_t row) const {
        return {elements_.data() + index(row, 0), columns_};
    }
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
class Combiner {
 public:
    virtual ~Combiner() = default;
    virtual void combine(std::span<Element> left, std::span<const Element> right) = 0;
};

struct ReduceOrder {
    bool shuffled = false;  // the elements of a group are combined in an order by the seed
    uint64_t seed = 0;
};

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixReduceNV. `rows` x `columns`: of the result, which
// must suit the mode. The order of combinations is not specified.
Matrix reduce(const Matrix& matrix, uint32_t mode, uint32_t rows, uint32_t columns,
              const ReduceOrder& order, Combiner& combiner);

}  // namespace coopvk::reference::matrices
