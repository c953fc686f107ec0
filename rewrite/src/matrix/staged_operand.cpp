// SPDX-License-Identifier: Apache-2.0
#include "matrix/staged_operand.hpp"

#include "lowering/number.hpp"
#include "matrix/matrix_types.hpp"

namespace coopvk::rewrite {

MatrixType stepType(TypeTable& types, const StagedOperand& operand, uint32_t depth) {
    MatrixType step;
    step.component = operand.component;
    step.number = numberOf(types, operand.component);
    step.use = operand.isA ? Use::kA : Use::kB;
    step.rows = operand.isA ? operand.line().size : depth;
    step.columns = operand.isA ? depth : operand.line().size;
    step.fragment.scope = LaneScope::kWorkgroup;
    const Axis whole = {depth, 1, depth};
    step.fragment.rows = operand.isA ? operand.line() : whole;
    step.fragment.columns = operand.isA ? whole : operand.line();
    step.fragment.packWidth = operand.alongK * operand.alongLine;
    const bool alongRows = operand.isA ? operand.alongLine > 1 : operand.alongK > 1;
    step.fragment.packAxis = alongRows ? PackAxis::kRows : PackAxis::kColumns;
    describePacks(step, types);
    step.id = types.arrayType(step.pack, step.fragment.packs());
    return step;
}

}  // namespace coopvk::rewrite
