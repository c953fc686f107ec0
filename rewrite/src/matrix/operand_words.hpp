// SPDX-License-Identifier: Apache-2.0
//
// Matrices whose components stay together in words, as they lie in memory, until a product reads
// them: those of 4 and 8 bits that are loaded, moved and multiplied, and nothing else.
#pragma once

#include <set>

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// The types of such matrices, where products are to be dot products of four bytes.
std::set<Id> typesInWords(const Module& module, const TypeTable& types, const Target& target,
                          const LayoutPolicy& policy);

}  // namespace coopvk::rewrite
