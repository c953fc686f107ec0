// SPDX-License-Identifier: Apache-2.0
//
// Matrix components on their way between lanes: the steps that role conversions and conversions
// between matrices and rows are made of. Whole packs travel where they can; what has been done for
// one component of a pack is not done again for its neighbours.
#pragma once

#include "matrix/matrix_writer.hpp"
#include "matrix/packs.hpp"

namespace coopvk::rewrite {

// The elements that a lane holds of a matrix, by how its axes are dealt.
struct HeldElements {
    Axis rows;
    Axis columns;
    std::vector<Slot> slots;  // by local row, then local column

    HeldElements(const Axis& rowAxis, const Axis& columnAxis)
        : rows(rowAxis), columns(columnAxis), slots(rowAxis.count() * columnAxis.count()) {}
    Slot& at(uint32_t row, uint32_t column) { return slots[row * columns.count() + column]; }
};

// The whole axis in every lane.
inline Axis wholeAxis(uint32_t size) { return {size, 1, size}; }

class Exchange {
 public:
    Exchange(MatrixContext& context, MatrixWriter& writer, Id component)
        : context_(context), types_(context.types), writer_(writer), component_(component) {}

    // The slot's value in another lane (u32).
    Slot fromLane(const Slot& slot, Id lane);
    // candidates[index], with index a u32 below their number, different by lane.
    Slot pick(std::span<const Slot> candidates, Id index);

    // All of a dealt axis from the lanes that share it.
    HeldElements gatherRows(HeldElements& from);
    HeldElements gatherColumns(HeldElements& from);
    // This lane's part of an axis that it holds whole.
    HeldElements dealRows(HeldElements& from, const Axis& to);
    HeldElements dealColumns(HeldElements& from, const Axis& to);

    // Lane at a place of the grid. Row and column are u32.
    Id laneAt(Id row, Id column);
    Id constant(uint32_t value) { return types_.constantU32(value); }

 private:
    Id shuffle(Id word, Id lane);

    MatrixContext& context_;
    TypeTable& types_;
    MatrixWriter& writer_;
    Id component_;
    std::map<std::pair<Id, Id>, Id> shuffled_;         // by value and lane
    std::map<std::vector<Id>, Id> picked_;             // by index and candidates
    std::map<std::pair<Id, uint32_t>, Id> is_;         // index == constant
    std::map<std::pair<uint32_t, Id>, Id> gridLanes_;  // lanes with one constant coordinate
};

// `matrix` must have the value's fragment.
HeldElements holdValue(const MatrixType& matrix, Emitter& emit, Id value);
// Defines `result` as the matrix with these elements, dealt as its fragment says.
void constructHeld(const MatrixType& matrix, Emitter& emit, HeldElements& held, Id result);

}  // namespace coopvk::rewrite
