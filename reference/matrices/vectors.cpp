// SPDX-License-Identifier: Apache-2.0
#include "matrices/vectors.hpp"

namespace coopvk::reference::matrices {

uint64_t VectorMatrix::offset(uint32_t row, uint32_t column) const {
    if (layout == VectorLayout::rowMajor) return row * stride + column * elementSize();
    if (layout == VectorLayout::columnMajor) return column * stride + row * elementSize();
    return (uint64_t(row) * columns + column) * elementSize();
}

uint64_t VectorMatrix::size() const {
    if (rows == 0 || columns == 0) return 0;
    return offset(rows - 1, columns - 1) + elementSize();
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

bool convertMatrix(const VectorMatrix& from, std::span<const std::byte> source,
                   const VectorMatrix& to, std::span<std::byte> destination) {
    const bool floats =
        numbers::format(from.number).floating() && numbers::format(to.number).floating();
    if (from.rows != to.rows || from.columns != to.columns) return false;
    if (from.number != to.number && !floats) return false;
    const numbers::Conversion conversion(from.number, to.number, numbers::conversionRule(false));
    for (uint32_t row = 0; row < from.rows; ++row) {
        for (uint32_t column = 0; column < from.columns; ++column) {
            const auto in = source.subspan(from.offset(row, column), from.elementSize());
            const auto out = destination.subspan(to.offset(row, column), to.elementSize());
            writeElement(conversion(readElement(in)).bits, out);
        }
    }
    return true;
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

std::vector<Element> regroup(std::span<const Element> elements, uint32_t from, uint32_t to) {
    std::vector<Element> result;
    const size_t joined = from < to ? to / from : 1;
    for (size_t first = 0; first + joined <= elements.size(); first += joined) {
        Element whole;
        for (size_t i = 0; i < joined; ++i) {
            whole.bits |= elements[first + i].bits << (i * from);
            whole.defined &= elements[first + i].defined;
        }
        for (uint32_t bit = 0; bit < joined * from; bit += to) {
            result.push_back({whole.bits >> bit & numbers::lowBits(to), whole.defined});
        }
    }
    return result;
}

std::vector<Element> interpretInput(std::span<const Element> input, Number from,
                                    Number interpretation, bool packed, uint32_t k) {
    std::vector<Element> result;
    if (packed) {
        result = regroup(input, numbers::format(from).bits, numbers::format(interpretation).bits);
    } else {
        const numbers::Conversion conversion(from, interpretation, numbers::inputRule());
        for (const Element& element : input) {
            result.push_back({conversion(element.bits).bits, element.defined});
        }
    }
    result.resize(k, Element{0, false});
    return result;
}

}  // namespace coopvk::reference::matrices
