// SPDX-License-Identifier: Apache-2.0
//
// Where instructions stand in a module (SPIR-V specification, section 2.4).
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The section of an instruction that stands outside functions; kGlobals for whatever no other
// section claims.
Section sectionOf(spv::Op opcode);

// Types and constants: at module scope only. No other instruction of a block has a result without a
// type.
bool isDeclaration(const Instruction& i);

}  // namespace coopvk::rewrite
