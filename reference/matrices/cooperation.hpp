// SPDX-License-Identifier: Apache-2.0
//
// What instructions on matrices and vectors share: elements in invocations and in memory, the
// invocations that hold a matrix and their meeting, operands that must be uniform, functions that
// are called for elements.
#pragma once

#include <optional>
#include <span>

#include "execution/map.hpp"
#include "execution/opcode_table.hpp"
#include "matrices/matrix.hpp"
#include "matrices/placement.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference::matrices {

inline Element elementAt(const Value& value, uint32_t component, uint32_t lane) {
    return {value.at(component, lane), value.isDefined(component, lane)};
}
inline void setElement(const Value& value, uint32_t component, uint32_t lane,
                       const Element& element) {
    value.at(component, lane) = element.bits;
    value.defined[component].assign(lane, element.defined);
}
// All components of a value in one lane.
std::vector<Element> elementsAt(const Value& value, uint32_t lane);
// The components of a lane from these elements; what they lack is undefined.
void setElements(const Value& value, uint32_t lane, std::span<const Element> elements);

// Elements of 4 to 64 bits in memory, from a pointer on.
struct ElementMemory {
    const Instruction& instruction;
    Pointer pointer;
    uint32_t bits;  // of an element
    Access access = {};

    // `lane` of `holder` accesses the element. Elements of 4 bits share bytes: SPV_INTEL_int4, "the
    // first component in every pair is in bits 0-3 of the corresponding byte".
    Element read(Subgroup& holder, uint32_t lane, uint64_t bitOffset) const;
    void write(Subgroup& holder, uint32_t lane, uint64_t bitOffset, const Element& element) const;
};

Placement placementOf(const Subgroup& subgroup, const Type& matrix);

// The number of a subgroup's lane among the invocations of the matrix's scope.
uint32_t invocationOf(const Subgroup& subgroup, const Type& matrix, uint32_t lane);

// A matrix from the components in all its invocations; its format is numberOf(component) or
// `number`.
Matrix gather(Subgroup& subgroup, uint32_t slot, std::optional<Number> number = std::nullopt);
// The components of all active invocations from a matrix.
void scatter(Subgroup& subgroup, uint32_t slot, const Matrix& matrix);

// Calls f(lane, position) for component c of a matrix in each active lane.
template <typename F>
void forComponent(const Subgroup& subgroup, const Type& matrix, const Placement& placement,
                  uint32_t c, F&& f) {
    forLanes(subgroup, [&](uint32_t lane) {
        f(lane, placement.position(invocationOf(subgroup, matrix, lane), c));
    });
}
// Calls f(component, lane, position) for each component in each active lane of the subgroup.
template <typename F>
void forComponents(const Subgroup& subgroup, const Type& matrix, F&& f) {
    const Placement placement = placementOf(subgroup, matrix);
    for (uint32_t c = 0; c < matrix.components; ++c) {
        forComponent(subgroup, matrix, placement, c,
                     [&](uint32_t lane, const Position& p) { f(c, lane, p); });
    }
}

// SPV_KHR_cooperative_matrix, OpTypeCooperativeMatrixKHR: "all the invocations in the Scope
// instance are active or none of them are". Reports an invocation that is not.
void checkActive(Subgroup& subgroup, const Instruction& instruction);

// The same, and whether the subgroup has to wait (Step::kMeet) for all invocations of the matrix's
// scope, which execute the instruction together.
bool hasToMeet(Subgroup& subgroup, const Instruction& instruction, const Type& matrix);

// The handler of an instruction that needs the elements of other invocations: all invocations of
// the result's scope meet, compute(subgroup, instruction) returns the whole result, or nothing if
// the execution stops.
using Compute = std::optional<Matrix> (*)(Subgroup&, const Instruction&);
Step onWhole(Subgroup& subgroup, const Instruction& instruction, Compute compute);
template <Compute kCompute>
Step whole(Subgroup& subgroup, const Instruction& instruction) {
    return onWhole(subgroup, instruction, kCompute);
}

// An operand that must be the same in all invocations: its first component, sign-extended from its
// type if that is signed.
int64_t uniformInteger(Subgroup& subgroup, const Instruction& instruction, uint32_t operand);
Pointer uniformPointer(Subgroup& subgroup, const Instruction& instruction, uint32_t operand);

// By the settings and the instruction.
SumRule sumRule(const Subgroup& subgroup, const Instruction& instruction, Number result);
uint64_t seedOf(const Subgroup& subgroup, const Instruction& instruction);

// A value of its own, for arguments that no id has.
class OwnValue {
 public:
    OwnValue(const Type& type, uint32_t lanes)
        : data_(size_t(type.components) * lanes),
          defined_(type.components, LaneMask::firstLanes(lanes)),
          value_{data_.data(), defined_.data(), &type, lanes} {}
    OwnValue(OwnValue&&) = delete;
    operator Value() const { return value_; }

 private:
    std::vector<uint64_t> data_;
    std::vector<LaneMask> defined_;
    Value value_;
};

// A function operand: null if the module has none with this id, which the validator excludes.
inline const Function* functionOf(const Subgroup& subgroup, const Operand& operand) {
    const auto found = subgroup.program->functionOf.find(operand.word);
    return found != subgroup.program->functionOf.end() ? found->second : nullptr;
}
// The type of parameter `index`.
inline const Type& parameterType(const Subgroup& subgroup, const Function& function,
                                 uint32_t index) {
    return *subgroup.program->slots[function.parameters[index]].type;
}

}  // namespace coopvk::reference::matrices
