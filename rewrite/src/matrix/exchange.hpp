// SPDX-License-Identifier: Apache-2.0
//
// Moves components of matrices between the invocations of a subgroup: the steps of conversions of
// use, and of conversions between matrices and rows. It shuffles whole packs where it can, and each
// pack once for all of its components.
#pragma once

#include <functional>

#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

// Each lane holds the whole axis.
inline Axis wholeAxis(uint32_t size) { return {size, 1, size}; }

// False, with an error, where the device has no subgroup shuffles.
bool requireShuffles(MatrixContext& context, const Instruction& at);

class Exchange {
 public:
    Exchange(MatrixContext& context, MatrixWriter& writer, Id component)
        : context_(context), types_(context.types), writer_(writer), component_(component) {}

    // The slot's value in another lane (u32).
    Slot fromLane(const Slot& slot, Id lane);
    // candidates[index]. `index` is a u32 below their number, and differs between lanes.
    Slot pick(std::span<const Slot> candidates, Id index);

    // The elements with all of an axis, which come from the lanes that it is distributed to.
    HeldElements gatherAxis(HeldElements& from, Dimension d);
    // This lane's part of an axis that it holds whole.
    HeldElements distributeAxis(HeldElements& from, Dimension d, const Axis& to);
    // This lane's number (u32) on an axis of rows or of columns.
    Id laneOn(Dimension d, const Axis& axis) { return position().laneOn(d, axis); }
    // This lane's row or column in the grid (u32).
    Id gridCoordinate(Dimension d) { return position().coordinate(d); }
    // The lane (u32) with coordinate `along` of the dimension and `other` of the other one.
    Id laneAt(Dimension d, Id along, Id other);

 private:
    GridPosition& position() { return writer_.position(LaneScope::kSubgroup); }
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

// Moves elements of matrices of scope Workgroup to other invocations, through shared memory.

// An instruction whose result has elements that other invocations compute. A helper function takes
// its first operand, and returns the result.
struct WorkgroupExchange {
    std::string_view name;      // of the helper function
    std::vector<uint32_t> key;  // of the helper function
    const MatrixType& from;
    const MatrixType& to;
    // What each invocation computes: the elements of a matrix that is distributed like this, which
    // is the result, or its transpose. element(...) returns one of them, by local row and column.
    Fragment computed;
    bool isTranspose = false;
    std::function<Slot(Emitter& emit, HeldElements& operand, uint32_t row, uint32_t column)>
        element;
};

// Calls the helper function, which defines at.result.
void lowerWorkgroupExchange(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                            const WorkgroupExchange& exchange);

}  // namespace coopvk::rewrite
