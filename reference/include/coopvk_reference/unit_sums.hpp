// SPDX-License-Identifier: Apache-2.0
//
// How the matrix units of some GPUs add products. They add several products at once, of which they
// keep only some bits below the largest exponent, so no order of additions gives the same bits.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "coopvk_reference/formats.hpp"

namespace coopvk::reference {

// A number, as a unit sees it: significand * 2^unit. Also the sum before a step.
struct Factor {
    bool isNan = false, isInfinite = false, negative = false;
    int32_t exponent = 0;  // what the exponent's bits say; of denormals the smallest
    int32_t unit = 0;
    uint64_t significand = 0;
};
Factor factorOf(numbers::Number number, uint64_t bits);

// What a step adds.
enum class Stages : uint8_t {
    kTogether,       // products and sum
    kProductsFirst,  // the products, then their sum and the sum
    kHalvesFirst,    // products with even numbers, those with odd ones, both, then as above
    // Of each four products the first two, to these the other two; then the sum, rounded to
    // nearest.
    kPairsApart,
};

inline constexpr int32_t kAllBits = 1 << 20;

struct SumModel {
    uint32_t block = 0;           // products that a step adds; 0: all of K
    int32_t bits = kAllBits;      // each term keeps these, below the largest exponent of the step
    bool cuts = false;            // a step's result is cut, not rounded to nearest even
    int32_t mantissa = 23;        // bits of it that a result that is cut keeps
    int32_t zeroExponent = -133;  // of a term that is zero
    Stages stages = Stages::kTogether;
    bool dropsDown = false;  // bits of a term that a step does not keep; else toward zero
    bool inSingle = false;   // the sum is f32 until the last step

    bool operator==(const SumModel&) const = default;
};

// `sum`, plus the products of the elements of a and b with the same numbers. `result` is the format
// of the sum before, between the steps, and after.
uint64_t addProducts(const SumModel& model, std::span<const Factor> a, std::span<const Factor> b,
                     uint64_t sum, numbers::Number result);

// SUMS: units by name.
struct SumUnit {
    Choice choice;
    std::string_view name;
};
inline constexpr SumUnit kSumUnits[] = {{Choice::kAda, "ada"},
                                        {Choice::kHopper, "hopper"},
                                        {Choice::kCdna3, "cdna3"},
                                        {Choice::kRdna4, "rdna4"}};
const SumUnit* findUnit(std::string_view name);  // null: there is none
std::vector<std::string> unitNames();

// Nothing where the unit has no such product, or nobody has described it.
std::optional<SumModel> sumModel(Choice unit, numbers::Number factor, numbers::Number result);

}  // namespace coopvk::reference
