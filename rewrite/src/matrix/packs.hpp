// SPDX-License-Identifier: Apache-2.0
//
// A lane's elements of one matrix, by local row and column, while they are taken out of or put into
// the array of packs.
#pragma once

#include "lowering/words.hpp"
#include "matrix/context.hpp"

namespace coopvk::rewrite {

enum class Dimension { kRows, kColumns };

inline Dimension other(Dimension d) {
    return d == Dimension::kRows ? Dimension::kColumns : Dimension::kRows;
}

// The elements that a lane holds of a matrix, by how its axes are dealt.
struct HeldElements {
    Axis rows;
    Axis columns;
    std::vector<Slot> slots;  // by local row, then local column

    // To be filled by at().
    HeldElements(const Axis& rowAxis, const Axis& columnAxis)
        : rows(rowAxis), columns(columnAxis), slots(rowAxis.count() * columnAxis.count()) {}
    explicit HeldElements(const MatrixType& matrix)
        : HeldElements(matrix.fragment.rows, matrix.fragment.columns) {}
    // The elements of a value; each pack is extracted once.
    HeldElements(const MatrixType& matrix, Emitter& emit, Id value);

    Axis& axis(Dimension d) { return d == Dimension::kRows ? rows : columns; }
    Slot& at(uint32_t row, uint32_t column) { return slots[row * columns.count() + column]; }
    // Local element `i` of a dimension, and `other` of the other one.
    Slot& at(Dimension d, uint32_t i, uint32_t other) {
        return d == Dimension::kRows ? at(i, other) : at(other, i);
    }
    // A component of the matrix as a scalar value; extracted once.
    Id scalar(Emitter& emit, const MatrixType& matrix, uint32_t row, uint32_t column);
    // visit(row, column, slot) for all, row by row.
    template <typename Visit>
    void each(Visit visit) {
        for (uint32_t row = 0; row < rows.count(); ++row) {
            for (uint32_t column = 0; column < columns.count(); ++column) {
                visit(row, column, at(row, column));
            }
        }
    }
    // Defines `result` (0: a new id) as the matrix with these elements, dealt as its fragment says.
    Id construct(const MatrixType& matrix, Emitter& emit, Id result = 0) const;
};

// All packs of a value, in order.
std::vector<Id> extractPacks(Emitter& emit, const MatrixType& matrix, Id value);
// Defines `result` (0: a new id) as the matrix made of these packs.
Id constructFromPacks(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs,
                      Id result = 0);

// The matrix with its components as they read with a signedness; the value itself where they do
// already, or are in words.
Id withSign(MatrixContext& context, Emitter& emit, const MatrixType& matrix, Id value,
            bool isSigned);

}  // namespace coopvk::rewrite
