// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "halves.hpp"
#include "precision.hpp"

namespace coopvk::test {
namespace {

constexpr int kShown = 6;  // differences listed before the rest is only counted

uint64_t randomElement(Rng& rng, const ComponentInfo& type, Fill fill) {
    if (fill == Fill::kSmall) {
        const int64_t value = rng.range(type.kind == Kind::kUnsigned ? 0 : -4, 4);
        return type.isFloat() ? fromDouble(type.type, static_cast<double>(value))
                              : wrap(static_cast<uint64_t>(value), type.bits());
    }
    if (!type.isFloat()) return wrap(rng.next(), type.bits());
    if (fill == Fill::kUnit) return fromDouble(type.type, rng.unit() * 2 - 1);
    uint64_t bits = 0;
    do {
        bits = wrap(rng.next(), type.bits());
    } while (!std::isfinite(toDouble(type.type, bits)));
    return bits;
}

uint64_t integerElement(const Matrix& a, const Matrix& b, uint64_t c, Component cType, uint32_t row,
                        uint32_t column, const ComponentInfo& result, uint32_t operands) {
    uint64_t sum = 0;  // modulo 2^64: the low bits are those of the exact result
    for (uint32_t k = 0; k < a.columns; ++k) {
        const Wide x = extend(a.at(row, k), info(a.component).bits(), operands & kASigned);
        const Wide y = extend(b.at(k, column), info(b.component).bits(), operands & kBSigned);
        sum += static_cast<uint64_t>(x) * static_cast<uint64_t>(y);
    }
    const Wide addend = extend(c, info(cType).bits(), operands & kCSigned);
    if (!(operands & kSaturating)) return wrap(sum + static_cast<uint64_t>(addend), result.bits());
    const bool isSigned = operands & kResultSigned;
    const Wide product = extend(sum, result.bits(), isSigned);
    const Wide low = isSigned ? -(Wide{1} << (result.bits() - 1)) : Wide{0};
    const Wide high = (Wide{1} << (result.bits() - (isSigned ? 1 : 0))) - 1;
    const Wide total = product + addend;
    return wrap(static_cast<uint64_t>(total < low    ? low
                                      : total > high ? high
                                                     : total),
                result.bits());
}

// What the device may read as a number: denormal halves may be zero where it says so, and those of
// E5M2 there (VK_EXT_shader_float8 keeps them in conversions to f16 only).
reference::Interval asRead(Component type, uint64_t bits) {
    const double value = toDouble(type, bits);
    const bool isSmall = type == Component::kF16 || type == Component::kE5M2;
    const bool isFlushed = isSmall && mayFlushHalves() && flush(type, value) == 0;
    return isFlushed ? reference::Interval::between(std::min(value, 0.0), std::max(value, 0.0))
                     : reference::Interval::of(value);
}

template <typename Same>
std::string compare(const Matrix& actual, const Matrix& expected, Same&& isSame) {
    std::ostringstream out;
    int wrong = 0;
    for (uint32_t r = 0; r < expected.rows; ++r) {
        for (uint32_t c = 0; c < expected.columns; ++c) {
            const uint64_t x = actual.at(r, c), y = expected.at(r, c);
            if (isSame(r * expected.columns + c, x, y) || ++wrong > kShown) continue;
            out << "  [" << r << "," << c << "] 0x" << std::hex << x << ", want 0x" << y
                << std::dec;
            if (info(expected.component).isFloat())
                out << " (" << toDouble(expected.component, x) << ", want "
                    << toDouble(expected.component, y) << ")";
            out << "\n";
        }
    }
    if (!wrong) return {};
    return std::to_string(wrong) + " of " + std::to_string(expected.elements.size()) + " " +
           std::string(name(expected.component)) + " elements differ\n" + out.str();
}

}  // namespace

Matrix randomMatrix(Rng& rng, Component type, uint32_t rows, uint32_t columns, Fill fill) {
    Matrix matrix(type, rows, columns);
    for (uint64_t& element : matrix.elements) element = randomElement(rng, info(type), fill);
    return matrix;
}

size_t Placement::at(const Matrix& matrix, uint32_t row, uint32_t column) const {
    const size_t outer = columnMajor ? column : row;
    const size_t inner = columnMajor ? row : column;
    return offset + outer * stride + inner * info(matrix.component).bytes;
}

size_t Placement::size(const Matrix& matrix) const {
    return at(matrix, matrix.rows - 1, matrix.columns - 1) + info(matrix.component).bytes;
}

Placement tight(const Matrix& matrix, bool columnMajor) {
    return {columnMajor,
            size_t{columnMajor ? matrix.rows : matrix.columns} * info(matrix.component).bytes, 0};
}

void scatter(const Matrix& matrix, const Placement& placement, std::span<std::byte> memory) {
    for (uint32_t r = 0; r < matrix.rows; ++r)
        for (uint32_t c = 0; c < matrix.columns; ++c)
            std::memcpy(&memory[placement.at(matrix, r, c)],
                        &matrix.elements[r * matrix.columns + c], info(matrix.component).bytes);
}

void gather(Matrix& matrix, const Placement& placement, std::span<const std::byte> memory) {
    for (uint32_t r = 0; r < matrix.rows; ++r)
        for (uint32_t c = 0; c < matrix.columns; ++c) {
            uint64_t& element = matrix.at(r, c);
            element = 0;
            std::memcpy(&element, &memory[placement.at(matrix, r, c)],
                        info(matrix.component).bytes);
        }
}

Bytes pack(const Matrix& matrix) {
    Bytes bytes(tight(matrix).size(matrix));
    scatter(matrix, tight(matrix), bytes);
    return bytes;
}

Matrix unpack(Component type, uint32_t rows, uint32_t columns, std::span<const std::byte> memory) {
    Matrix matrix(type, rows, columns);
    gather(matrix, tight(matrix), memory);
    return matrix;
}

uint32_t signOperands(Component a, Component b, Component c, Component result) {
    return (info(a).isSigned() ? kASigned : 0u) | (info(b).isSigned() ? kBSigned : 0u) |
           (info(c).isSigned() ? kCSigned : 0u) | (info(result).isSigned() ? kResultSigned : 0u);
}

Product numbersOf(Matrix value) {
    Product product{std::move(value), {}};
    const Component type = product.value.component;
    for (const uint64_t bits : product.value.elements)
        if (info(type).isFloat())
            product.permitted.push_back(reference::Interval::of(toDouble(type, bits)));
    return product;
}

Product mulAdd(const Matrix& a, const Matrix& b, const Matrix& c, Component result,
               uint32_t operands, bool exact) {
    Product product{Matrix(result, c.rows, c.columns), {}};
    for (uint32_t row = 0; row < c.rows; ++row) {
        for (uint32_t column = 0; column < c.columns; ++column) {
            if (!info(result).isFloat()) {
                product.value.at(row, column) = integerElement(a, b, c.at(row, column), c.component,
                                                               row, column, info(result), operands);
                continue;
            }
            const double addend = toDouble(c.component, c.at(row, column));
            long double sum = addend;
            reference::SumBounds bounds(*reference::numbers::byVulkanType(info(result).vulkan));
            bounds.add(asRead(c.component, c.at(row, column)));
            for (uint32_t k = 0; k < a.columns; ++k) {
                const double x = toDouble(a.component, a.at(row, k));
                const double y = toDouble(b.component, b.at(k, column));
                sum += static_cast<long double>(x) * y;
                bounds.addProduct(asRead(a.component, a.at(row, k)),
                                  asRead(b.component, b.at(k, column)));
            }
            const uint64_t bits = fromDouble(result, static_cast<double>(sum));
            product.value.at(row, column) = bits;
            product.permitted.push_back(exact ? reference::Interval::of(toDouble(result, bits))
                                              : bounds.result());
        }
    }
    return product;
}

std::string difference(const Matrix& actual, const Product& expected) {
    const Component type = expected.value.component;
    return compare(actual, expected.value, [&](size_t index, uint64_t x, uint64_t y) {
        return same(type, x, y) || (index < expected.permitted.size() &&
                                    expected.permitted[index].contains(toDouble(type, x)));
    });
}

std::string difference(const Matrix& actual, const Matrix& expected) {
    return compare(actual, expected,
                   [&](size_t, uint64_t x, uint64_t y) { return same(expected.component, x, y); });
}

std::string difference(std::span<const std::byte> actual, std::span<const std::byte> expected) {
    std::ostringstream out;
    int wrong = actual.size() != expected.size();
    if (wrong) out << "  sizes " << actual.size() << ", want " << expected.size() << "\n";
    for (size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
        if (actual[i] == expected[i] || ++wrong > kShown) continue;
        out << "  byte " << i << std::hex << " 0x" << static_cast<int>(actual[i]) << ", want 0x"
            << static_cast<int>(expected[i]) << std::dec << "\n";
    }
    return wrong ? std::to_string(wrong) + " bytes differ\n" + out.str() : std::string{};
}

}  // namespace coopvk::test
