// SPDX-License-Identifier: Apache-2.0
//
// Which lane holds which element of a matrix on GPUs that have matrix units. No specification says
// so, but some programs assume it.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "coopvk/rewrite.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

class MatrixUses;

// The lanes of a use, for components of `bits` bits in memory; nullopt: the layout has no map for
// subgroups of this size.
std::optional<MappedLanes> mappedLanes(ElementLayout layout, uint32_t subgroupSize, Use use,
                                       uint32_t bits);
bool hasMap(ElementLayout layout, uint32_t subgroupSize);
// The smallest subgroups for which the layout has a map, of 32 lanes or more; 0 for kFree.
uint32_t subgroupSizeOf(ElementLayout layout);

// Why the result of a module depends on which lane holds which element; empty: it does not, as far
// as the module's data flow shows.
std::string_view whyDependsOnLanes(const MatrixUses& uses);
// The same, without copies by number between matrices of one size and different use. Programs of
// every GPU mean by these that equal numbers are equal elements, as in matrices with a free layout.
std::string_view whyDependsOnMap(const MatrixUses& uses);

// Whether the module names single elements of matrices of subgroups, or asks how many there are.
bool namesElements(const MatrixUses& uses);

// Values of A and B are loaded, moved, stored and multiplied only, or their elements have names
// (numbers, or how many there are). Where both have one type, the former get a type of their own,
// so that they lie as products want. Returns how many types were added.
size_t separateUnnamedFactors(TypeTable& types, const MatrixUses& uses);
// The same for `wanted` types, of values for whose loads and stores (in memory of the module) the
// test is true. Returns the new types.
using AccessTest = std::function<bool(const Instruction& access)>;
std::set<Id> separateFactors(TypeTable& types, const std::set<Id>& wanted,
                             const AccessTest& mayAccess);

// The layout that the matrices of a module want if it names elements: that of the target, or for
// `auto`, if its result depends on it, the first that is known of the program's, the one that the
// module's extensions suggest, and `family`, the device's. kFree: any.
ElementLayout chooseElementLayout(const Module& module, const MatrixUses& uses,
                                  const PlannedTarget& target, ElementLayout family);

}  // namespace coopvk::rewrite
