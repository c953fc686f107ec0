// SPDX-License-Identifier: Apache-2.0
//
// What a module needs of a device beside capabilities.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "module.hpp"

namespace coopvk::check {

// Bits of a number, or of a vector's components; 32: that of which nothing is known.
uint64_t scalarWidth(const Module& module, uint32_t type);

// What a device lists or has features for, beside capabilities: sizes of matrices and vectors,
// offsets and strides in blocks, numbers in operations of subgroups, shared memory that is 0.
std::set<std::vector<uint64_t>> listedBy(const Module& module);

}  // namespace coopvk::check
