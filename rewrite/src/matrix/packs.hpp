// SPDX-License-Identifier: Apache-2.0
//
// A lane's elements of one matrix, by local row and column, while they are taken out of or put into
// the array of packs.
#pragma once

#include "lowering/slots.hpp"
#include "matrix/context.hpp"

namespace coopvk::rewrite {

class ElementSlots {
 public:
    // Empty: to be filled by at().
    explicit ElementSlots(const MatrixType& matrix) : matrix_(matrix), slots_(matrix.length()) {}
    // The elements of a value; each pack is extracted once.
    ElementSlots(const MatrixType& matrix, Emitter& emit, Id value);

    Slot& at(uint32_t row, uint32_t column) {
        return slots_[row * matrix_.fragment.columns.count() + column];
    }
    // The component as a scalar value; extracted once.
    Id scalar(Emitter& emit, uint32_t row, uint32_t column);
    // Defines `result` (0: a new id) as the matrix value.
    Id construct(Emitter& emit, Id result = 0);

 private:
    const MatrixType& matrix_;
    std::vector<Slot> slots_;
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
