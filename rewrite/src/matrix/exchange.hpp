// SPDX-License-Identifier: Apache-2.0
//
// Matrix components on their way between lanes: the steps that role conversions and conversions
// between matrices and rows are made of. Whole packs travel where they can; what has been done for
// one component of a pack is not done again for its neighbours.
#pragma once

#include "matrix/matrix_writer.hpp"
#include "matrix/packs.hpp"

namespace coopvk::rewrite {

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
    HeldElements gatherAxis(HeldElements& from, Dimension d);
    // This lane's part of an axis that it holds whole.
    HeldElements dealAxis(HeldElements& from, Dimension d, const Axis& to);
    // This lane's number among those that share a dealt axis.
    Id laneOn(Dimension d, const Axis& axis) {
        return d == Dimension::kRows ? writer_.rowLane(axis.lanes) : writer_.columnLane(axis.lanes);
    }

    // The lane with these coordinates (u32) in the grid: the one along `d`, and the other one.
    Id laneAt(Dimension d, Id along, Id other);

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

}  // namespace coopvk::rewrite
