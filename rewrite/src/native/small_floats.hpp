// SPDX-License-Identifier: Apache-2.0
//
// Matrices of 8-bit floats become the driver's f16 matrices, which have all their values. Loads,
// stores and conversions to 8-bit floats go through shared memory, since only the driver knows
// which invocation has which element.
#pragma once

#include "unify/small_floats/small_floats.hpp"

namespace coopvk::rewrite {

// Elements must be held as f16 already (unify/small_floats). `subgroups`: the most that a workgroup
// may have. kUnsupported where the driver's matrices do not suffice.
std::optional<Error> holdInDriverMatrices(TypeTable& types, const Target& target,
                                          uint32_t subgroups);

}  // namespace coopvk::rewrite
