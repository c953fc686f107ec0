// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

GridPosition& MatrixWriter::position(LaneScope scope) {
    std::optional<GridPosition>& position = positions_[static_cast<size_t>(scope)];
    if (!position) {
        position.emplace(matrices_.position(prologue(), scope));
        if (scope == LaneScope::kSubgroup) position->setLane(lane());
    }
    return *position;
}

}  // namespace coopvk::rewrite
