// SPDX-License-Identifier: Apache-2.0
//
// Which rules of adding products explain the sums of a device.
#pragma once

#include "compare/probe/sum_inputs.hpp"
#include "coopvk_reference/unit_sums.hpp"

namespace coopvk::compare {

using reference::SumModel;

reference::numbers::Number numberOf(Component type);  // of a type that the reference device knows

// A rule, and which products a step adds: neighbours along K, or every (K / block)-th.
struct SumRuleGuess {
    SumModel model;
    bool strided = false;
};
std::string textOf(const SumRuleGuess& guess);

// What a prediction was, compared with the device's.
struct SumCount {
    uint64_t sums = 0, equal = 0;
    uint64_t otherNan = 0, otherZero = 0;  // NaN with other bits, zeros with the other sign
    bool allEqual() const { return equal == sums; }
    // But for the bits of NaN and the sign of zeros.
    uint64_t alike() const { return equal + otherNan + otherZero; }
    void add(const MatrixRow& row, uint64_t predicted, uint64_t seen);
};

// Products with what a device made of them, as the rules read them.
class SumRun {
 public:
    SumRun(const Products& products, const std::vector<uint64_t>& results);

    const MatrixRow& row() const { return products_.row; }
    uint64_t sums() const { return products_.sums(); }
    uint64_t seen(uint64_t sum) const { return results_[sum]; }
    uint64_t addend(uint64_t sum) const { return products_.c[sum]; }
    uint64_t predict(const SumRuleGuess& guess, uint64_t sum) const;
    // "a=[...] b=[...] c=...", in hexadecimal.
    std::string operandsOf(uint64_t sum) const;

 private:
    struct Place {
        size_t product;
        uint32_t row, column;
    };
    Place placeOf(uint64_t sum) const;

    const Products& products_;
    const std::vector<uint64_t>& results_;
    std::vector<reference::Factor> a_, b_;  // of b the columns
};

struct SumFit {
    SumRuleGuess guess;
    SumCount sample, all;
};
// Rules that explain all sums of the runs; if none does, those that explain the most of a sample.
std::vector<SumFit> fitSums(std::span<const SumRun> runs);

}  // namespace coopvk::compare
