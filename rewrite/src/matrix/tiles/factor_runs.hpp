// SPDX-License-Identifier: Apache-2.0
//
// Chooses the types of A and B, of scope Workgroup, that are distributed in runs (layout.hpp).
#pragma once

#include "matrix/tiles/tile_grid.hpp"

namespace coopvk::rewrite {

// The types, by id, whose values are only loaded from tensors, moved, and multiplied into tiles, if
// all loads of a type have neighbours in memory along the same dimension of the matrix.
std::map<Id, Run> chooseRuns(const TypeTable& types, const TilePlan& tiles);

}  // namespace coopvk::rewrite
