// SPDX-License-Identifier: Apache-2.0
//
// Many small products for `coopvk probe --sums`, and numbers for them that tell how sums are made.
#pragma once

#include "compare/cases/matrix_rows.hpp"
#include "compare/numbers/random.hpp"

namespace coopvk::compare {

// a (M x K), b (K x N) and c (M x N), row by row, one product behind the other.
struct Products {
    MatrixRow row;
    uint32_t count = 0;
    std::vector<uint64_t> a, b, c;

    uint64_t sums() const { return uint64_t{count} * row.m * row.n; }
};

struct SumInputs {
    std::string_view name;
    void (*fill)(Rng& rng, Products& products);
};
std::span<const SumInputs> allSumInputs();

// As a buffer of a shader has them.
Bytes memoryOf(Component type, const std::vector<uint64_t>& elements);

Products makeProducts(const SumInputs& inputs, const MatrixRow& row, uint32_t count, uint64_t seed);

}  // namespace coopvk::compare
