// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices by OpCooperativeMatrixMulAddKHR on the device.
#pragma once

#include "matrices.hpp"
#include "sums.hpp"

namespace coopvk::oracle {

// Rows, columns and depth; each workgroup multiplies matrices of its own.
inline constexpr uint32_t kM = 3, kN = 8, kK = 16;

struct Product {
    const Format &a, &b, &c, &result;
    std::string operands;  // Cooperative Matrix Operands
};

struct Operands {
    std::vector<uint64_t> a, b, c;  // of all products, row by row
};

struct Outcome {
    std::vector<uint64_t> bits;
    std::vector<reference::Interval> intervals;
};

Operands operandsOf(const Product& product, Data data, size_t groups, Random& random);
Outcome outcomeOf(const Product& product, const Operands& operands, reference::Choice sums,
                  bool withIntervals);
std::string nameOf(const Product& product);

// Indices of the factors of element i of the results.
template <typename Take>
void eachFactor(size_t i, Take take) {
    const size_t group = i / (kM * kN), row = i / kN % kM, column = i % kN;
    for (size_t k = 0; k < kK; ++k)
        take((group * kM + row) * kK + k, (group * kK + k) * kN + column);
}

}  // namespace coopvk::oracle
