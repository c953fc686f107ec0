// SPDX-License-Identifier: Apache-2.0
//
// Matrices on the host, and the positions of their elements in a buffer. A vector is a row.
#pragma once

#include "compare/numbers/number.hpp"
#include "compare/numbers/random.hpp"

namespace coopvk::compare {

struct Matrix {
    Matrix() = default;
    Matrix(Component type, uint32_t rowCount, uint32_t columnCount)
        : component(type),
          rows(rowCount),
          columns(columnCount),
          elements(size_t{rowCount} * columnCount) {}
    uint64_t& at(uint32_t row, uint32_t column) { return elements[row * columns + column]; }
    uint64_t at(uint32_t row, uint32_t column) const { return elements[row * columns + column]; }

    Component component = VK_COMPONENT_TYPE_FLOAT32_KHR;
    uint32_t rows = 0, columns = 0;
    std::vector<uint64_t> elements;  // row by row
};

// Elements of a matrix in memory; offset and stride in bytes.
struct Block {
    Component component = VK_COMPONENT_TYPE_FLOAT32_KHR;
    uint32_t rows = 0, columns = 0;
    bool columnMajor = false;
    size_t stride = 0;
    size_t offset = 0;

    size_t at(uint32_t row, uint32_t column) const {
        const size_t outer = columnMajor ? column : row;
        const size_t inner = columnMajor ? row : column;
        return offset + outer * stride + inner * info(component).bytes();
    }
    // From the buffer's start to the end of the last element.
    size_t end() const { return at(rows - 1, columns - 1) + info(component).bytes(); }
};

// With `padding` bytes between its lines, and as many ahead of it.
Block placed(Component type, uint32_t rows, uint32_t columns, bool columnMajor, size_t padding);

void scatter(const Matrix& matrix, const Block& block, std::span<std::byte> memory);
Matrix gather(const Block& block, std::span<const std::byte> memory);

enum class Fill {
    kExact,   // small integers: every sum and product is exact in what shaders compute with
    kRandom,  // floats: magnitudes from 1/4 to 1, all bits random; integers: any bits
};
Matrix randomMatrix(Rng& rng, Component type, uint32_t rows, uint32_t columns, Fill fill);
// Integers from low to high, or floats of such values.
Matrix randomRange(Rng& rng, Component type, uint32_t rows, uint32_t columns, int64_t low,
                   int64_t high);

}  // namespace coopvk::compare
