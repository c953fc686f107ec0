// SPDX-License-Identifier: Apache-2.0
//
// Tensor layouts and views: their state and the functions of SPV_NV_tensor_addressing and
// SPV_NV_cooperative_matrix2 on the host, and the GLSL that makes the same state.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace coopvk::test {

inline constexpr uint32_t kMaxTensorDimensions = 5;
using TensorNumbers = std::array<uint32_t, kMaxTensorDimensions>;

enum class TensorClamp : uint32_t { kUndefined, kConstant, kEdge, kRepeat, kMirror };

struct TensorLayout {
    TensorLayout(uint32_t dimensionCount, TensorClamp clampMode)
        : dimensions(dimensionCount), clamp(clampMode) {
        blockSize.fill(1);
    }
    void setBlockSize(const TensorNumbers& sizes) { blockSize = sizes; }
    void setDimension(const TensorNumbers& sizes);
    void setStride(const TensorNumbers& strides) { stride = strides; }
    void slice(const TensorNumbers& offsets, const TensorNumbers& spans);

    uint32_t dimensions;
    TensorClamp clamp;
    TensorNumbers blockSize{}, dimension{}, stride{}, span{};
    std::array<int32_t, kMaxTensorDimensions> offset{};
    uint32_t clampValue = 0;
};

struct TensorView {
    void setDimension(const TensorNumbers& sizes);

    uint32_t dimensions = 0;
    bool hasDimensions = false;
    std::vector<uint32_t> permutation;
    TensorNumbers dimension{}, stride{};
    uint32_t clipRowOffset = 0, clipRowSpan = ~0u, clipColumnOffset = 0, clipColumnSpan = ~0u;
};

struct TensorPlace {
    enum Kind { kClipped, kOutside, kElement };
    Kind kind = kElement;
    uint32_t index = 0;
    TensorNumbers blockCoordinate{}, coordinateInBlock{};
};

// The position of an element of a matrix with this number of columns; `view` may be null.
// matrixCoordToTensorElement and matrixCoordToTensorElementWithView. With the mode Undefined
// nothing may be out of bounds.
TensorPlace tensorPlace(const TensorLayout& layout, const TensorView* view, uint32_t row,
                        uint32_t column, uint32_t columns, bool isStore);

// Numbers in a shader: literals, or members of a buffer `numbers`.
class TensorText {
 public:
    // `first`: the first numbers of the buffer.
    explicit TensorText(bool fromBuffer, std::vector<uint32_t> first = {0})
        : fromBuffer_(fromBuffer), numbers_(std::move(first)) {}

    std::string number(uint32_t value);
    // ", 1u, 2u" of the first `count`.
    std::string list(const TensorNumbers& values, uint32_t count);
    // Statements that declare `name` with this state.
    std::string layout(std::string_view name, const TensorLayout& layout);
    std::string view(std::string_view name, const TensorView& view);
    const std::vector<uint32_t>& numbers() const { return numbers_; }

 private:
    bool fromBuffer_;
    std::vector<uint32_t> numbers_;
};

}  // namespace coopvk::test
