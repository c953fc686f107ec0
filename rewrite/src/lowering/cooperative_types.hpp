// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The types of cooperative vectors. OpTypeVectorIdEXT of SPV_EXT_long_vector has the same opcode:
// with LongVectorEXT, a type is cooperative if a cooperative-vector instruction takes or gives it,
// or a conversion from or to such a type.
std::set<Id> cooperativeVectorTypes(const Module& module);

}  // namespace coopvk::rewrite
