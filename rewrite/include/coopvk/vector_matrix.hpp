// SPDX-License-Identifier: Apache-2.0
//
// Where the elements of a matrix lie in memory, for each layout of VK_NV_cooperative_vector.
// Shaders, host conversion and device conversion share this definition.
//
// The implementation defines the optimal layouts. Here both are plain arrays of elements of the
// matrix type, padding included: applications may work on them element by element. Rows follow each
// other, except that the inferencing-optimal layout has blocks of rows on some devices
// (DeviceTraits::blockedWeights): first 16 bytes of each row of a block, then the next 16 of each.
// Of rows of 32 bytes:
//
//   row 0, bytes 0-15 | row 1, 0-15 | ... row 7, 0-15 | row 0, 16-31 | ... row 7, 16-31 | row 8 ...
#pragma once

#include <cstdint>

namespace coopvk::rewrite {

// Values equal VkCooperativeVectorMatrixLayoutNV's.
enum class VectorMatrixLayout : uint32_t {
    kRowMajor = 0,
    kColumnMajor = 1,
    kInferencingOptimal = 2,
    kTrainingOptimal = 3,
};

constexpr bool isOptimal(VectorMatrixLayout layout) {
    return layout == VectorMatrixLayout::kInferencingOptimal ||
           layout == VectorMatrixLayout::kTrainingOptimal;
}

// Rows of the optimal layouts start at multiples of this: loads can be 16 bytes wide.
inline constexpr uint64_t kOptimalLineAlignment = 16;
// Rows of a block: as many as one of the driver's matrices holds.
inline constexpr uint64_t kBlockRows = 8;
// Sizes of the optimal layouts are multiples of this, the alignment of matrix offsets: matrices can
// follow each other without gaps.
inline constexpr uint64_t kOptimalSizeAlignment = 64;

constexpr uint64_t roundUp(uint64_t value, uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// Where elements lie. Without blocks, element (row, column) starts at byte row * rowBytes + column
// * columnBytes.
struct MatrixPlacement {
    uint64_t rowBytes = 0;
    uint64_t columnBytes = 0;
    bool inBlocks = false;
    // Bytes that the matrix takes: in the optimal layouts with padding, which conversions fill with
    // zeros; in the others up to the end of the last element.
    uint64_t size = 0;

    constexpr uint64_t at(uint64_t row, uint64_t column) const {
        const uint64_t inRow = column * columnBytes, unit = kOptimalLineAlignment;
        if (!inBlocks) return row * rowBytes + inRow;
        return row / kBlockRows * kBlockRows * rowBytes + inRow / unit * unit * kBlockRows +
               row % kBlockRows * unit + inRow % unit;
    }
};

// `stride` is the distance between rows (row major) or columns (column major) in bytes; the optimal
// layouts ignore it. `componentBytes` is the size of an element. `blocked`: the device has
// DeviceTraits::blockedWeights.
constexpr MatrixPlacement placeMatrix(VectorMatrixLayout layout, uint64_t rows, uint64_t columns,
                                      uint64_t componentBytes, uint64_t stride, bool blocked) {
    if (rows == 0 || columns == 0) return {};
    MatrixPlacement placement;
    switch (layout) {
        case VectorMatrixLayout::kColumnMajor:
            placement.rowBytes = componentBytes;
            placement.columnBytes = stride;
            break;
        case VectorMatrixLayout::kRowMajor:
            placement.rowBytes = stride;
            placement.columnBytes = componentBytes;
            break;
        default:
            placement.rowBytes = roundUp(columns * componentBytes, kOptimalLineAlignment);
            placement.columnBytes = componentBytes;
            placement.inBlocks = blocked && layout == VectorMatrixLayout::kInferencingOptimal;
            placement.size =
                roundUp(roundUp(rows, placement.inBlocks ? kBlockRows : 1) * placement.rowBytes,
                        kOptimalSizeAlignment);
            return placement;
    }
    placement.size = placement.at(rows - 1, columns - 1) + componentBytes;
    return placement;
}

}  // namespace coopvk::rewrite
