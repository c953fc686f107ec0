// SPDX-License-Identifier: Apache-2.0
//
// Executes workgroups: the order of subgroups, and where they meet.
#pragma once

#include "execution/frame.hpp"

namespace coopvk::reference {

// Memory and state for workgroups of a program, which a thread uses one after the other.
void prepare(Workgroup& group, const Program& program);
// Executes the workgroup with this id. False: it stopped.
bool runWorkgroup(Workgroup& group, std::array<uint32_t, 3> id);

// Values of built-in variables, in Input storage.
void setBuiltIns(Workgroup& group, Subgroup& subgroup);

}  // namespace coopvk::reference
