// SPDX-License-Identifier: Apache-2.0
//
// Instructions that combine terms of all components of long vectors to a scalar.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// OpDot, OpAny, OpAll, OpSDot and so on, OpGroupNonUniformAllEqual.
bool isReduction(spv::Op opcode);

// The number of the first operand that is a long vector.
size_t firstVector(spv::Op opcode);
// The term of one component. `operands`: those of the instruction, with components for vectors.
Id reductionTerm(Emitter& emit, const Instruction& reduction, const Operands& operands);
Id combineTerms(Emitter& emit, const Instruction& reduction, Id a, Id b);
// What changes no sum: -0.0, true and so on.
Id neutralTerm(Emitter& emit, const Instruction& reduction);
// The result of the combined terms: with the accumulator of OpSDotAccSat and so on.
Id reductionResult(Emitter& emit, const Instruction& reduction, Id combined);

}  // namespace coopvk::rewrite
