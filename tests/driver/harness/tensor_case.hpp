// SPDX-License-Identifier: Apache-2.0
//
// Random tensor layouts and views for a matrix.
#pragma once

#include <optional>

#include "random.hpp"
#include "tensor.hpp"

namespace coopvk::test {

enum class TensorViewKind { kNone, kPermutation, kDimensions, kClip };
inline constexpr uint32_t kTensorViewKinds = 4;

struct TensorCase {
    TensorLayout layout;
    std::optional<TensorView> view;

    const TensorView* viewOrNull() const { return view ? &*view : nullptr; }
};

struct TensorWish {
    uint32_t dimensions = 1;
    TensorClamp clamp = TensorClamp::undefined;
    TensorViewKind view = TensorViewKind::kNone;
    uint32_t rows = 1, columns = 1;  // of the matrix
    bool isStore = false;
    bool hasBlocks = false;
    // In the last dimension everything is at multiples of 8, and blocks have multiples of 4.
    bool isAligned = false;
};

// A case in which no element is out of bounds with the mode Undefined and, for stores, no two
// elements go to the same place.
TensorCase randomTensor(Rng& rng, const TensorWish& wish);

// The places of all elements, row by row, and the number of elements or blocks of the tensor.
std::vector<TensorElement> placesOf(const TensorCase& tensor, const TensorWish& wish);
uint32_t sizeOf(const TensorLayout& layout);

}  // namespace coopvk::test
