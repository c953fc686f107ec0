// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "coopvk_reference/execute.hpp"
#include "execution/value.hpp"

namespace coopvk::reference::matrices {

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

struct Position {
    uint32_t row = 0, column = 0;
    bool exists = false;  // false: the component holds no element
};

struct Shape {
    uint32_t rows = 0, columns = 0;
    int32_t use = -1;
    uint32_t invocations = 1;  // of the scope
};

// Which component of which invocation holds which element of a matrix.
// SPV_KHR_cooperative_matrix, 2.2: "The mapping of components to invocations and indexes is
// implementation-dependent."
class Placement {
 public:
    Placement(const Shape& shape, Choice choice, uint64_t seed)
        : shape_(shape),
          elements_(shape.rows * shape.columns),
          length_(uint32_t((uint64_t(elements_) + shape.invocations - 1) / shape.invocations)) {
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
    Position position(uint32_t invocation, uint32_t component) const {
        uint32_t number = component * shape_.invocations + invocation;
        if (runs_) number = (shape_.invocations - invocation) * length_ - 1 - component;
        const uint32_t element = permutes_ ? uint32_t(permutation_(number)) : number;
        if (element >= elements_) return {};
        const uint32_t width = columnMajor_ ? shape_.rows : shape_.columns;
        const uint32_t major = element / width;
        const uint32_t minor = element - major * width;
        return columnMajor_ ? Position{minor, major, true} : Position{major, minor, true};
    }

 private:
    Shape shape_;
    uint32_t elements_;
    uint32_t length_;
    bool permutes_ = false;
    Permutation permutation_;   // of the numbers of components to those of elements
    bool runs_ = false;         // components are counted invocation by invocation, from the last on
    bool columnMajor_ = false;  // elements are counted column by column
};

}  // namespace coopvk::reference::matrices
