// SPDX-License-Identifier: Apache-2.0
//
// What instructions on whole matrices share: the invocations that hold a matrix, their meeting, and
// operands that must be uniform.
#pragma once

#include <optional>
#include <span>

#include "execution/frame.hpp"
#include "execution/map.hpp"
#include "matrices/matrix.hpp"
#include "matrices/placement.hpp"
#include "matrices/sums.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference::matrices {

Placement placementOf(const Subgroup& subgroup, const Type& matrix);

// The subgroups whose invocations hold matrices of this type: one, or all of the workgroup.
std::span<Subgroup> holdersOf(Subgroup& subgroup, const Type& matrix);

// The number of a subgroup's lane among the invocations of the matrix's scope.
uint32_t invocationOf(const Subgroup& subgroup, const Type& matrix, uint32_t lane);

// A matrix from the components in all its invocations; its format is numberOf(component) or
// `number`.
Matrix gather(Subgroup& subgroup, uint32_t slot, std::optional<Number> number = std::nullopt);
// The components of all active invocations from a matrix.
void scatter(Subgroup& subgroup, uint32_t slot, const Matrix& matrix);

// All components of a value in one lane.
std::vector<Element> componentsAt(const Value& value, uint32_t lane);

// Components of the subgroup's active lanes become 0: those that hold no element stay so.
void clear(Subgroup& subgroup, uint32_t slot);

// Calls f(lane, component, row, column) for each element that an active lane of the subgroup holds.
template <typename F>
void forElements(const Subgroup& subgroup, const Type& matrix, F&& function) {
    const Placement placement = placementOf(subgroup, matrix);
    forLanes(subgroup, [&](uint32_t lane) {
        const uint32_t invocation = invocationOf(subgroup, matrix, lane);
        for (uint32_t c = 0; c < matrix.components; ++c) {
            const Position p = placement.position(invocation, c);
            if (p.exists) function(lane, c, p.row, p.column);
        }
    });
}

// SPV_KHR_cooperative_matrix, OpTypeCooperativeMatrixKHR: "all the invocations in the Scope
// instance are active or none of them are". Reports an invocation that is not.
void checkActive(Subgroup& subgroup, const Instruction& instruction);

// The same, and waits for all invocations of the scope: what the handler of an instruction that
// needs the elements of other invocations does first. The work is for it if this returns nothing;
// else it returns the step.
std::optional<Step> meet(Subgroup& subgroup, const Instruction& instruction, const Type& matrix);

// An operand that must be the same in all invocations: its first component, sign-extended from its
// type if that is signed.
int64_t uniformInteger(Subgroup& subgroup, const Instruction& instruction, uint32_t operand);
Pointer uniformPointer(Subgroup& subgroup, const Instruction& instruction, uint32_t operand);

// By the settings.
SumRule sumRule(const Subgroup& subgroup, Number result);
uint64_t seedOf(const Subgroup& subgroup, const Instruction& instruction);

}  // namespace coopvk::reference::matrices
