// SPDX-License-Identifier: Apache-2.0
//
// How matrix-vector products are computed: which type the products are summed in, how input
// components and the bits of matrix elements become operands of it.
//
// An operand ("unit") is a scalar or a pair of neighbours along the summed axis:
//
//   kHalfPairs   f16 pairs, summed as f16 pairs; f16 results on devices with packed arithmetic
//   kHalfPieces  f16 pairs, of which kPieceUnits are summed as f16 pairs, and these sums in f32
//   kFloat       f32 scalars
//   kInteger     s32 scalars (the usual wrapping makes them right for u32 as well)
//   kDot         four 8-bit integers in a word, summed by dot-product instructions
#pragma once

#include "lowering/number.hpp"
#include "vector/vector_function.hpp"

namespace coopvk::rewrite {

enum class Sum { kHalfPairs, kHalfPieces, kFloat, kInteger, kDot };

inline constexpr uint32_t kPieceUnits = 4;

inline bool isFloat(Sum sum) { return sum != Sum::kInteger && sum != Sum::kDot; }

// The interpretation of a matrix, bias or input.
struct Interpretation : Number {
    bool isPacked = false;  // of an input
};

// nullopt for a value that no supported combination has.
std::optional<Interpretation> interpretation(std::optional<uint64_t> value);

class Arithmetic {
 public:
    Arithmetic(VectorFunction& function, Sum sum, Interpretation input, Interpretation matrix);

    Sum sum() const { return sum_; }
    Id unitType() const { return unit_; }
    Id sumType() const { return sumType_; }
    // Components that a unit covers, and units that a word of matrix elements gives.
    uint32_t unitComponents() const;
    uint32_t unitsPerWord() const;

    // Matrix elements of one word as units.
    std::vector<Id> units(Id word);
    Id zero();
    // accumulator + weight * input.
    Id multiplyAdd(Id weight, Id input, Id accumulator);
    // accumulator + all of weights[i] * inputs[i]; inputs that are 0 count as nothing.
    Id addProducts(std::span<const Id> weights, std::span<const Id> inputs, Id accumulator);
    // The sum as one scalar: f16, f32 or s32/u32.
    Id total(Id accumulator);

    // An input component (scalar, any type) as f32 or s32 scalar or f16: what interpretation makes
    // of it. `isSigned`: how integers are read.
    Id convertInput(Id value, bool isSigned);

 private:
    bool takesHalves() const { return sum_ == Sum::kHalfPairs || sum_ == Sum::kHalfPieces; }
    Id addPieces(std::span<const Id> weights, std::span<const Id> inputs, Id accumulator);

    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
    Sum sum_;
    Interpretation input_;
    Interpretation matrix_;
    Id unit_ = 0;
    Id sumType_ = 0;
};

// min(value, limit) of a u32.
Id glslMin(Emitter& emit, Id value, uint32_t limit);

}  // namespace coopvk::rewrite
