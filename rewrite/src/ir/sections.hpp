// SPDX-License-Identifier: Apache-2.0
//
// The section of a module that an instruction belongs to (SPIR-V specification, section 2.4).
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The section of an instruction outside functions; kGlobals if it belongs to no other section.
Section sectionOf(spv::Op opcode);

// Whether an instruction declares a type or a constant, which only module scope may have. Other
// instructions with a result have a result type.
bool isDeclaration(const Instruction& i);

}  // namespace coopvk::rewrite
