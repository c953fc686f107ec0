// SPDX-License-Identifier: Apache-2.0
//
// Matrices on the host: contents, layout in memory, and the expected product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "component.hpp"
#include "coopvk_reference/intervals.hpp"
#include "random.hpp"

namespace coopvk::test {

using Bytes = std::vector<std::byte>;

enum class Use : uint32_t { kA, kB, kAccumulator };
inline constexpr Use kAllUses[] = {Use::kA, Use::kB, Use::kAccumulator};

struct Matrix {
    Matrix(Component type, uint32_t rowCount, uint32_t columnCount)
        : component(type),
          rows(rowCount),
          columns(columnCount),
          elements(size_t{rowCount} * columnCount) {}
    uint64_t& at(uint32_t row, uint32_t column) { return elements[row * columns + column]; }
    uint64_t at(uint32_t row, uint32_t column) const { return elements[row * columns + column]; }

    Component component;
    uint32_t rows, columns;
    std::vector<uint64_t> elements;  // row by row
};

enum class Fill {
    kSmall,  // integers from -4 to 4 (0 to 4 if unsigned): sums stay exact in every type
    kUnit,   // floats in [-1, 1); integers: any bits
    kBits,   // any bits; floats: any finite value
};
Matrix randomMatrix(Rng& rng, Component type, uint32_t rows, uint32_t columns, Fill fill);

// The position of element (row, column) in memory: offset and stride in bytes.
struct Placement {
    bool columnMajor = false;
    size_t stride = 0;
    size_t offset = 0;

    size_t at(const Matrix& matrix, uint32_t row, uint32_t column) const;
    // Bytes from the buffer's start to the end of the last element.
    size_t size(const Matrix& matrix) const;
};
Placement tight(const Matrix& matrix, bool columnMajor = false);

void scatter(const Matrix& matrix, const Placement& placement, std::span<std::byte> memory);
// Fills `matrix` from memory.
void gather(Matrix& matrix, const Placement& placement, std::span<const std::byte> memory);
// The matrix as a buffer that contains nothing else, tightly packed row by row.
Bytes pack(const Matrix& matrix);
Matrix unpack(Component type, uint32_t rows, uint32_t columns, std::span<const std::byte> memory);

// Cooperative Matrix Operands of SPIR-V.
enum Operands : uint32_t {
    kASigned = 1,
    kBSigned = 2,
    kCSigned = 4,
    kResultSigned = 8,
    kSaturating = 16,
};
// The operand bits that match the component types.
uint32_t signOperands(Component a, Component b, Component c, Component result);

// A matrix whose floats may be others, as the specifications permit.
struct Product {
    Matrix value;
    std::vector<reference::Interval> permitted;  // of each float, beside the value
};
// The matrix alone, with zeros of either sign.
Product numbersOf(Matrix value);
// a × b + c as the extension's specification defines it. With `exact` nothing else is
// permitted: for inputs of which every partial sum is representable.
Product mulAdd(const Matrix& a, const Matrix& b, const Matrix& c, Component result,
               uint32_t operands, bool exact);

// Empty if every element of `actual` is permitted, else the first few that are not.
std::string difference(const Matrix& actual, const Product& expected);
std::string difference(const Matrix& actual, const Matrix& expected);
// Empty if the bytes are equal, else the first few places where they are not.
std::string difference(std::span<const std::byte> actual, std::span<const std::byte> expected);

}  // namespace coopvk::test
