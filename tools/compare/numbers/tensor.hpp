// SPDX-License-Identifier: Apache-2.0
//
// Tensor layouts and views of SPV_NV_tensor_addressing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace coopvk::compare {

// One number for each dimension.
using TensorNumbers = std::vector<uint32_t>;

enum class TensorClamp : uint32_t { kUndefined, kConstant, kEdge, kRepeat, kMirror };
std::string_view nameOf(TensorClamp clamp);

// Strides of an array of such sizes, the last dimension's being 1.
TensorNumbers packedStrides(const TensorNumbers& sizes);

struct TensorLayout {
    TensorClamp clamp = TensorClamp::kUndefined;
    TensorNumbers dimension, offset, span;
    TensorNumbers blockSize;  // 1 in each dimension: no blocks
    TensorNumbers stride;     // in elements or blocks; empty: without space between them
    uint32_t clampValue = 0;  // the bits of an element

    size_t dimensions() const { return dimension.size(); }
    TensorNumbers strides() const;
    // Elements or blocks in memory.
    uint32_t size() const;
};

// Of elements of the matrix.
struct TensorClip {
    uint32_t row, rows, column, columns;
};
struct TensorView {
    TensorNumbers permutation;
    TensorNumbers dimension;  // empty: as the layout's span
    std::optional<TensorClip> clip;
};

struct TensorAccess {
    TensorLayout layout;
    std::optional<TensorView> view;
};

}  // namespace coopvk::compare
