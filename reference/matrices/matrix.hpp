// SPDX-License-Identifier: Apache-2.0
//
// Whole matrices, what instructions compute of them, and how they lie in invocations.
#pragma once

#include <functional>
#include <numeric>

#include "coopvk_reference/element_maps.hpp"
#include "coopvk_reference/unit_sums.hpp"
#include "numbers/exact.hpp"
#include "program/types.hpp"

namespace coopvk::reference {
class Shadow;
}

namespace coopvk::reference::matrices {

using numbers::Number;

// Of a seed: the first number of SplitMix64.
constexpr uint64_t mix(uint64_t seed) { return spread(seed + 0x9E3779B97F4A7C15); }

// A permutation of [0, count) that is computed, not stored: i -> (i * factor + offset) mod count.
struct Permutation {
    uint64_t count = 1, factor = 1, offset = 0;

    static constexpr Permutation bySeed(uint64_t count, uint64_t seed) {
        Permutation p{count, 1 + mix(seed) % count, mix(seed + 1) % count};
        while (std::gcd(p.factor, count) != 1) p.factor = 1 + p.factor % count;
        return p;
    }
    constexpr uint64_t operator()(uint64_t i) const { return (i * factor + offset) % count; }
};

struct PlacementChoice {
    Choice mapped;  // of shapes that it has a map for
    Choice others;
};

// Which component of which invocation holds which element of a matrix.
// SPV_KHR_cooperative_matrix, 2.2: "The mapping of components to invocations and indexes is
// implementation-dependent."
class Placement {
 public:
    Placement(const Shape& shape, PlacementChoice choices, uint64_t seed)
        : shape_(shape),
          elements_(shape.rows * shape.columns),
          length_(matrixLength(choices.mapped, shape)),
          choice_(choices.mapped) {
        const Choice choice = choices.others;
        permutation_.count = std::max<uint64_t>(uint64_t(length_) * shape.invocations, 1);
        if (choice == Choice::kShuffled) {
            // Matrices of different types lie differently.
            const uint64_t type =
                uint64_t(shape.rows) << 34 ^ uint64_t(shape.columns) << 2 ^ uint64_t(shape.use + 1);
            permutation_ = Permutation::bySeed(permutation_.count, mix(seed ^ mix(type)));
        }
        if (choice == Choice::kAdversarial) {
            // A and B lie in opposite orders, an accumulator unlike both.
            runs_ = shape.use != 1;
            columnMajor_ = shape.use == 0 || shape.use == 2;
            permutation_.offset = shape.use == 2 ? permutation_.count / 2 : 0;
        }
        permutes_ = permutation_.factor != 1 || permutation_.offset != 0;
    }

    // Components of each invocation: OpCooperativeMatrixLengthKHR.
    uint32_t length() const { return length_; }
    // `invocation` is that in the scope.
    ElementPosition position(uint32_t invocation, uint32_t component) const {
        ElementPosition mapped;
        if (withMap(choice_, shape_,
                    [&](const auto& map) { mapped = map.position(invocation, component); })) {
            return mapped;
        }
        uint32_t number = component * shape_.invocations + invocation;
        if (runs_) number = (shape_.invocations - invocation) * length_ - 1 - component;
        const uint32_t element = permutes_ ? uint32_t(permutation_(number)) : number;
        if (element >= elements_) return {};
        const uint32_t width = columnMajor_ ? shape_.rows : shape_.columns;
        const uint32_t major = element / width;
        const uint32_t minor = element - major * width;
        return columnMajor_ ? ElementPosition{minor, major, true}
                            : ElementPosition{major, minor, true};
    }

 private:
    Shape shape_;
    uint32_t elements_;
    uint32_t length_;
    Choice choice_;
    bool permutes_ = false;
    Permutation permutation_;   // of the numbers of components to those of elements
    bool runs_ = false;         // components are counted invocation by invocation, from the last on
    bool columnMajor_ = false;  // elements are counted column by column
};

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
Matrix convert(const Matrix& matrix, const numbers::Conversion& conversion,
               Shadow* shadow = nullptr);

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixTransposeNV.
Matrix transpose(const Matrix& matrix);

// Vulkan, "Precision of SPIR-V Instructions": products are computed in an implementation-dependent
// order and internal precision. Plain: along K in binary32 (or binary64), then the addend; rounded
// to the result. Shuffled: the same with all addends in an order by the seed. Adversarial: from the
// end of K; each product and sum is rounded to the result's format. Exact: rounded once at the end.
// GPUs: as their units add, or plain where unit_sums.hpp has no row.
struct SumRule {
    Number result = Number::f32;
    Choice order = Choice::kPlain;
    uint64_t seed = 0;
    bool saturate = false;           // integers: SaturatingAccumulation
    const SumModel* unit = nullptr;  // set within multiplyAdd, by `order`
    Shadow* shadow = nullptr;        // gets the operands and the result
    // What products before this one added to each element of c, and what all added; null: nothing
    // is known.
    const std::vector<SumBounds>* before = nullptr;
    std::vector<SumBounds>* after = nullptr;
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

// Calls f(element) for those that an element of the result is made of.
template <typename F>
void forReduced(const Matrix& matrix, uint32_t mode, uint32_t row, uint32_t column, F&& f) {
    const bool isSquare = (mode & kReduce2x2) != 0;
    const auto each = [&](bool isReduced, uint32_t at, uint32_t size) {
        if (isSquare) return std::pair(at * 2, at * 2 + 2);
        return isReduced ? std::pair(0u, size) : std::pair(at, at + 1);
    };
    const auto rows = each((mode & kReduceColumn) != 0, row, matrix.rows);
    const auto columns = each((mode & kReduceRow) != 0, column, matrix.columns);
    for (uint32_t r = rows.first; r < rows.second; ++r)
        for (uint32_t c = columns.first; c < columns.second; ++c) f(matrix.at(r, c));
}

}  // namespace coopvk::reference::matrices
