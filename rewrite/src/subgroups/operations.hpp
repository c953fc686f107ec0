// SPDX-License-Identifier: Apache-2.0
//
// Kinds of operations on subgroups.
#pragma once

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

// Whether invocations of a subgroup take part in an instruction: also those without a lowering.
bool isSubgroupOperation(spv::Op opcode);
// Whether lowerSubgroups() lowers it.
bool hasSubgroupLowering(spv::Op opcode);
// The operand that comes from lanes: behind the scope and the GroupOperation, if there are any.
size_t valueOperand(spv::Op opcode);
// Whether that operand goes through memory, and whether a word of bits, or a boolean as one, does.
bool exchangesValue(spv::Op opcode);
bool exchangesBits(spv::Op opcode);

}  // namespace coopvk::rewrite
