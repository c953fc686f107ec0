// SPDX-License-Identifier: Apache-2.0
//
// Values that tell lanes of a subgroup apart.
#pragma once

#include "ir/users.hpp"

namespace coopvk::rewrite {

// Whether a built-in variable differs between the lanes of a subgroup.
bool differsByLane(const Module& module, Id variable);
// Whether an instruction computes the number of a subgroup from that of an invocation.
bool isNumberOfSubgroup(const Module& module, const Users& users, const Instruction& i);

}  // namespace coopvk::rewrite
