// SPDX-License-Identifier: Apache-2.0
//
// The section of a module that an instruction belongs to (SPIR-V specification, section 2.4).
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The section of an instruction outside functions; kGlobals for all that belong to no other one.
Section sectionOf(spv::Op opcode);

// Types and constants: at module scope only. No other instruction of a block has a result without a
// type.
bool isDeclaration(const Instruction& i);

}  // namespace coopvk::rewrite
