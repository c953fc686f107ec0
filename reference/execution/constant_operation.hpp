// SPDX-License-Identifier: Apache-2.0
//
// Operations on constants, when a program is made.
#pragma once

#include "program/program.hpp"

namespace coopvk::reference {

// Executes the instruction, whose operands and result are constants.
void executeOnConstants(Program& program, const Instruction& instruction);

}  // namespace coopvk::reference
