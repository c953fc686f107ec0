// SPDX-License-Identifier: Apache-2.0
//
// Which lane holds which element of a matrix on some GPUs, in the words of their documents.
// Programs that assume it compute wrong numbers elsewhere.
#pragma once

#include <optional>

#include "coopvk_reference/execute.hpp"

namespace coopvk::reference {

// Where an element is in its matrix.
struct ElementPosition {
    uint32_t row = 0, column = 0;
    bool exists = false;  // false: the component holds no element
    // Another invocation holds the element, too, and is the one that stores it.
    bool isCopy = false;
};

// A matrix, and those who hold it.
struct Shape {
    uint32_t rows = 0, columns = 0;
    int32_t use = -1;
    uint32_t invocations = 1;  // of the scope
    uint32_t bits = 0;         // of a component
    bool ofSubgroup = true;
};

// NVIDIA, read on an H200 (driver 580.159.04). For lane l, g = l >> 2 and t = l & 3. A lane holds
// words of 32 bits of A along a row, and pairs of columns of an accumulator, whatever its width. B
// is the transpose of such an A.
struct NvidiaMap {
    explicit NvidiaMap(const Shape& s)
        : isB(s.use == 1),
          rows(isB ? s.columns : s.rows),
          columns(isB ? s.rows : s.columns),
          word(s.use == 2 ? 2 : std::max(1u, 32 / std::max(s.bits, 1u))) {}
    bool fits() const { return rows % 8 == 0 && columns % (4 * word) == 0; }
    uint32_t length() const { return rows * columns / 32; }
    ElementPosition position(uint32_t lane, uint32_t e) const {
        const uint32_t g = lane >> 2, t = lane & 3, inRow = columns / 4;
        const uint32_t h = e / inRow, c = e % inRow;
        const uint32_t row = g + 8 * h, column = 4 * word * (c / word) + word * t + c % word;
        return isB ? ElementPosition{column, row, true} : ElementPosition{row, column, true};
    }

    bool isB;
    uint32_t rows, columns, word;
};

// RDNA 3 and 4, quoted from AMD's instruction set documents (WMMA): 16 x 16 accumulators, and 16 x
// 16 A and B. RDNA 3 holds A and B once in each 16 lanes. Larger matrices, of which no document
// tells, are tiles of these: a lane counts its elements row by row, those of B column by column.
struct RdnaMap {
    RdnaMap(const Shape& s, bool isRdna4)
        : shape(s),
          isFour(isRdna4),
          isSum(s.use == 2),
          holders(isSum || isRdna4 ? s.invocations : 16) {}
    bool fits() const {
        return shape.rows % 16 == 0 && shape.columns % 16 == 0 && shape.use >= 0 &&
               (shape.invocations == 32 || (!isFour && shape.invocations == 64));
    }
    uint32_t length() const { return shape.rows * shape.columns / holders; }
    ElementPosition position(uint32_t lane, uint32_t e) const {
        const uint32_t part = lane >> 4, line = lane & 15;
        const uint32_t parts = holders / 16;
        // Along the axis that the parts of a subgroup divide, and along the one of 16 lanes.
        const uint32_t lines = (isSum || shape.use == 1 ? shape.columns : shape.rows) / 16;
        const uint32_t inLine = length() / lines;
        const uint32_t own = isSum ? e / lines : e % inLine, tile = isSum ? e % lines : e / inLine;
        uint32_t along = parts * own + part % parts;
        if (isFour) along = 16 * (own / 8) + 8 * part + own % 8;
        const uint32_t across = 16 * tile + line;
        const bool isCopy = lane >= holders;
        return shape.use == 0 ? ElementPosition{across, along, true, isCopy}
                              : ElementPosition{along, across, true, isCopy};
    }

    Shape shape;
    bool isFour, isSum;
    uint32_t holders;
};

// Calls f(map) with the map of the choice, if it has one for the shape. Returns whether it did.
template <typename F>
bool withMap(Choice choice, const Shape& shape, F&& f) {
    if (!shape.ofSubgroup || shape.use < 0) return false;
    const auto call = [&](const auto& map) {
        if (map.fits()) f(map);
        return map.fits();
    };
    if (choice == Choice::kNvidia && shape.invocations == 32) return call(NvidiaMap(shape));
    if (choice == Choice::kRdna3) return call(RdnaMap(shape, false));
    if (choice == Choice::kRdna4) return call(RdnaMap(shape, true));
    return false;
}

// Components of each invocation: OpCooperativeMatrixLengthKHR.
inline uint32_t matrixLength(Choice choice, const Shape& shape) {
    uint32_t length = uint32_t((uint64_t{shape.rows} * shape.columns + shape.invocations - 1) /
                               shape.invocations);
    withMap(choice, shape, [&](const auto& map) { length = map.length(); });
    return length;
}

}  // namespace coopvk::reference
