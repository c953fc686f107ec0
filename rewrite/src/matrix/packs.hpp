// SPDX-License-Identifier: Apache-2.0
//
// The elements that a lane holds of one matrix, by local row and column: taken out of the array of
// packs, or to be put into one.
#pragma once

#include "lowering/words.hpp"
#include "matrix/context.hpp"

namespace coopvk::rewrite {

struct HeldElements {
    Axis rows;
    Axis columns;
    std::vector<Slot> slots;  // by local row, then local column

    // Without values; at() sets them.
    HeldElements(const Axis& rowAxis, const Axis& columnAxis)
        : rows(rowAxis), columns(columnAxis), slots(rowAxis.count() * columnAxis.count()) {}
    explicit HeldElements(const MatrixType& matrix)
        : HeldElements(matrix.fragment.rows, matrix.fragment.columns) {}
    // The elements of a value; emits one extraction for each pack.
    HeldElements(const MatrixType& matrix, Emitter& emit, Id value);
    // Elements without values that have another axis for one dimension.
    HeldElements emptyWith(Dimension d, const Axis& axis) const {
        return d == Dimension::kRows ? HeldElements(axis, columns) : HeldElements(rows, axis);
    }

    const Axis& axis(Dimension d) const { return d == Dimension::kRows ? rows : columns; }
    bool isDistributed() const { return rows.lanes > 1 || columns.lanes > 1; }
    Slot& at(uint32_t row, uint32_t column) { return slots[row * columns.count() + column]; }
    // Local index `i` of the dimension, and `other` of the other one.
    Slot& at(Dimension d, uint32_t i, uint32_t other) {
        return d == Dimension::kRows ? at(i, other) : at(other, i);
    }
    // A component of the matrix as a scalar; emits its extraction once.
    Id scalar(Emitter& emit, const MatrixType& matrix, uint32_t row, uint32_t column);
    // Calls visit(row, column, slot) for all elements, row by row.
    template <typename Visit>
    void each(Visit visit) {
        for (uint32_t row = 0; row < rows.count(); ++row) {
            for (uint32_t column = 0; column < columns.count(); ++column) {
                visit(row, column, at(row, column));
            }
        }
    }
    // Defines `result` (0: a new id) as the matrix with these elements, which are distributed as
    // its fragment says.
    Id construct(const MatrixType& matrix, Emitter& emit, Id result = 0) const;
};

// The packs of a value, in order; open sums are closed.
std::vector<Id> extractPacks(Emitter& emit, const MatrixType& matrix, Id value);
// Defines `result` (0: a new id) as the matrix made of these packs.
Id constructFromPacks(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs,
                      Id result = 0);

// The matrix with its 4-bit components sign or zero extended; the value itself where they are
// already, or are in words, or have other widths.
Id withSign(MatrixContext& context, Emitter& emit, const MatrixType& matrix, Id value,
            bool isSigned);

}  // namespace coopvk::rewrite
