// SPDX-License-Identifier: Apache-2.0
#include "matrices/vector_matrix.hpp"

namespace coopvk::reference::matrices {

uint64_t VectorMatrix::offset(uint32_t row, uint32_t column) const {
    const uint64_t element = elementSize();
    switch (layout) {
        case VectorLayout::rowMajor:
            return row * stride + column * element;
        case VectorLayout::columnMajor:
            return column * stride + row * element;
        case VectorLayout::inferencingOptimal:
        case VectorLayout::trainingOptimal:
            break;
    }
    return (uint64_t(row) * columns + column) * element;
}

uint64_t VectorMatrix::size() const {
    if (rows == 0 || columns == 0) return 0;
    return offset(rows - 1, columns - 1) + elementSize();
}

bool convertMatrix(const VectorMatrix& from, std::span<const std::byte> source,
                   const VectorMatrix& to, std::span<std::byte> destination) {
    const bool floats =
        numbers::format(from.number).floating() && numbers::format(to.number).floating();
    if (from.rows != to.rows || from.columns != to.columns) return false;
    if (from.number != to.number && !floats) return false;
    const numbers::ConversionRule rule = numbers::conversionRule(false);
    for (uint32_t row = 0; row < from.rows; ++row) {
        for (uint32_t column = 0; column < from.columns; ++column) {
            const auto in = source.subspan(from.offset(row, column), from.elementSize());
            const auto out = destination.subspan(to.offset(row, column), to.elementSize());
            writeElement(numbers::convert(from.number, to.number, readElement(in), rule).bits, out);
        }
    }
    return true;
}

std::optional<VectorMatrix> vectorMatrix(uint32_t componentType, uint32_t layout, uint32_t rows,
                                         uint32_t columns, uint64_t stride) {
    const std::optional<Number> number = numbers::byVulkanType(componentType);
    if (!number || numbers::format(*number).bits % 8 != 0 ||
        layout > uint32_t(VectorLayout::trainingOptimal)) {
        return std::nullopt;
    }
    return VectorMatrix{*number, VectorLayout(layout), rows, columns, stride};
}

uint64_t readElement(std::span<const std::byte> bytes) {
    uint64_t bits = 0;
    for (size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | uint64_t(bytes[i]);
    return bits;
}

void writeElement(uint64_t bits, std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) {
        byte = std::byte(bits);
        bits >>= 8;
    }
}

}  // namespace coopvk::reference::matrices
