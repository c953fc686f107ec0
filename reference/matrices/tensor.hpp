// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "execution/value.hpp"

namespace coopvk::reference::matrices {

inline constexpr uint32_t kMaxDimensions = 5;
using Coordinate = std::array<uint32_t, kMaxDimensions>;

// SPV_NV_tensor_addressing, "Tensor Clamp Mode".
enum class ClampMode : uint32_t { undefined, constant, clampToEdge, repeat, repeatMirrored };

// SPV_NV_tensor_addressing, "Tensor Layout and View": the logical state. Members have one number
// for each dimension, the outermost first; sizes and strides are in elements (strides in blocks).
struct TensorLayout {
    uint32_t dimensions = 1;
    ClampMode clampMode = ClampMode::undefined;
    Coordinate size{};  // layoutDimension
    Coordinate stride{};
    Coordinate offset{};  // signed
    Coordinate span{};
    Coordinate blockSize{};
    uint32_t clampValue = 0;
};

struct TensorView {
    uint32_t dimensions = 1;
    bool hasDimensions = false;
    Coordinate permutation{};
    Coordinate size{};  // viewDimension
    Coordinate stride{};
    uint32_t clipRowOffset = 0, clipRowSpan = 0xFFFFFFFF;
    uint32_t clipColumnOffset = 0, clipColumnSpan = 0xFFFFFFFF;
};

// OpCreateTensorLayoutNV, OpTensorLayoutSetBlockSizeNV and so on; OpCreateTensorViewNV and so on.
TensorLayout createLayout(uint32_t dimensions, ClampMode mode);
TensorLayout setDimension(TensorLayout layout, const Coordinate& size);
TensorLayout slice(TensorLayout layout, const Coordinate& offset, const Coordinate& span);
TensorView setDimension(TensorView view, const Coordinate& size);

enum class TensorAccess : uint8_t {
    element,    // at `index`
    constant,   // loads: the clamp value; stores: nothing
    clipped,    // loads: the element of Object; stores: nothing
    undefined,  // undefined behaviour
};

// Tensor layouts and views as values: the members' numbers follow each other, see the .cpp.
TensorLayout layoutAt(const Value& value, uint32_t lane);
TensorView viewAt(const Value& value, uint32_t lane);

// Where an element of a matrix lies in memory.
struct TensorElement {
    TensorAccess access = TensorAccess::undefined;
    uint32_t index = 0;  // in elements (blocks) from the pointer
    Coordinate block{};
    Coordinate inBlock{};
};

// SPV_NV_cooperative_matrix2, "Tensor Layout and View": matrixCoordToTensorElement, with `view`
// (may be null) matrixCoordToTensorElementWithView. `columns`: of the matrix.
TensorElement tensorElement(const TensorLayout& layout, const TensorView* view, uint32_t row,
                            uint32_t column, uint32_t columns, bool store);

}  // namespace coopvk::reference::matrices
