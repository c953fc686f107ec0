// SPDX-License-Identifier: Apache-2.0
#include "matrices/placement.hpp"

#include <algorithm>

namespace coopvk::reference::matrices {
namespace {

uint32_t lengthOf(const Shape& s) {
    const uint64_t elements = uint64_t(s.rows) * s.columns;
    return uint32_t((elements + s.invocations - 1) / s.invocations);
}

// Matrices of different types lie differently.
uint64_t typeSeed(const Shape& s, uint64_t seed) {
    return mix(seed ^ mix(uint64_t(s.rows) << 34 ^ uint64_t(s.columns) << 2 ^ uint64_t(s.use + 1)));
}

}  // namespace

Placement::Placement(const Shape& shape, Choice choice, uint64_t seed)
    : shape_(shape), elements_(shape.rows * shape.columns), length_(lengthOf(shape)) {
    permutation_.count = std::max<uint64_t>(uint64_t(length_) * shape.invocations, 1);
    if (choice == Choice::kShuffled) {
        permutation_ = Permutation::bySeed(permutation_.count, typeSeed(shape, seed));
    }
    if (choice == Choice::kAdversarial) {
        // A and B lie in opposite orders, an accumulator unlike both.
        runs_ = shape.use != 1;
        columnMajor_ = shape.use == 0 || shape.use == 2;
        permutation_.offset = shape.use == 2 ? permutation_.count / 2 : 0;
    }
    permutes_ = permutation_.factor != 1 || permutation_.offset != 0;
}

}  // namespace coopvk::reference::matrices
