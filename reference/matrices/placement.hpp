// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "coopvk_reference/settings.hpp"
#include "matrices/random.hpp"

namespace coopvk::reference::matrices {

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
    Placement(const Shape& shape, Choice choice, uint64_t seed);

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
