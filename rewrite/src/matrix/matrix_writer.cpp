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

GridPosition& MatrixWriter::position(const MatrixType& m) {
    if (!m.fragment.run) return position(m.fragment.scope);
    const auto found = runPositions_.find(m.id);
    if (found != runPositions_.end()) return found->second;
    return runPositions_.emplace(m.id, matrices_.position(prologue(), m.fragment)).first->second;
}

}  // namespace coopvk::rewrite
