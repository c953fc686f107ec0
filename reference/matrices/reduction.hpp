// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "matrices/matrix.hpp"

namespace coopvk::reference::matrices {

// Cooperative Matrix Reduce Mode, a mask.
inline constexpr uint32_t kReduceRow = 1;
inline constexpr uint32_t kReduceColumn = 2;
inline constexpr uint32_t kReduce2x2 = 4;

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
