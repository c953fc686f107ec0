// SPDX-License-Identifier: Apache-2.0
#include "compare/numbers/block.hpp"

#include <cmath>

namespace coopvk::compare {

Block placed(Component type, uint32_t rows, uint32_t columns, bool columnMajor, size_t padding) {
    const size_t line = size_t{columnMajor ? rows : columns} * info(type).bytes();
    return {type, rows, columns, columnMajor, line + padding, padding};
}

void scatter(const Matrix& matrix, const Block& block, std::span<std::byte> memory) {
    for (uint32_t r = 0; r < block.rows; ++r)
        for (uint32_t c = 0; c < block.columns; ++c)
            writeBits(memory, block.at(r, c), block.component, matrix.at(r, c));
}

Matrix gather(const Block& block, std::span<const std::byte> memory) {
    Matrix matrix(block.component, block.rows, block.columns);
    for (uint32_t r = 0; r < block.rows; ++r)
        for (uint32_t c = 0; c < block.columns; ++c)
            matrix.at(r, c) = readBits(memory, block.at(r, c), block.component);
    return matrix;
}

Matrix randomMatrix(Rng& rng, Component type, uint32_t rows, uint32_t columns, Fill fill) {
    if (fill == Fill::kExact) return randomRange(rng, type, rows, columns, -4, 4);
    Matrix matrix(type, rows, columns);
    const ComponentInfo& component = info(type);
    for (uint64_t& element : matrix.elements) {
        if (component.isFloat()) {
            const Real magnitude = 0.25L + 0.75L * static_cast<Real>(rng.unit());
            element = encode(type, rng.coin() ? -magnitude : magnitude);
        } else {
            element = maskBits(rng.next(), component.bits);
        }
    }
    return matrix;
}

Matrix randomRange(Rng& rng, Component type, uint32_t rows, uint32_t columns, int64_t low,
                   int64_t high) {
    Matrix matrix(type, rows, columns);
    const ComponentInfo& component = info(type);
    if (component.kind == Kind::kUnsigned && low < 0) low = 0;
    for (uint64_t& element : matrix.elements) {
        const int64_t value = rng.range(low, high);
        element = component.isFloat() ? encode(type, static_cast<Real>(value))
                                      : maskBits(static_cast<uint64_t>(value), component.bits);
    }
    return matrix;
}

}  // namespace coopvk::compare
