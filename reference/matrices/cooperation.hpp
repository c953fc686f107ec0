// SPDX-License-Identifier: Apache-2.0
//
// What instructions on matrices and vectors share: elements in invocations, the invocations that
// hold a matrix and their meeting, operands that must be uniform, functions that are called for
// elements.
#pragma once

#include <optional>
#include <span>

#include "execution/map.hpp"
#include "execution/opcode_table.hpp"
#include "matrices/matrix.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference::matrices {

// All components of a value in one lane.
std::vector<Element> elementsAt(const Value& value, uint32_t lane);
// The components of a lane from these elements; what they lack is undefined.
void setElements(const Value& value, uint32_t lane, std::span<const Element> elements);

// Which elements of a matrix of this type the lanes of a subgroup hold.
class Holder {
 public:
    Holder(const Subgroup& subgroup, const Type& matrix);
    Position position(uint32_t component, uint32_t lane) const {
        return placement_.position(first_ + lane, component);
    }

 private:
    Placement placement_;
    uint32_t first_;  // number of lane 0 among the invocations of the matrix's scope
};
// Calls f(component, lane, position) for each component in each active lane of the subgroup.
template <typename F>
void forComponents(const Subgroup& subgroup, const Type& matrix, F&& f) {
    const Holder holder(subgroup, matrix);
    for (uint32_t c = 0; c < matrix.components; ++c)
        forLanes(subgroup, [&](uint32_t lane) { f(c, lane, holder.position(c, lane)); });
}

// A matrix from the components in all its invocations; its format is numberOf(component) or
// `number`.
Matrix gather(Subgroup& subgroup, uint32_t slot, std::optional<Number> number = std::nullopt);

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

// A value of its own, for arguments that no id has.
class OwnValue : public Value {
 public:
    OwnValue(const Type& valueType, uint32_t count)
        : data_(size_t(valueType.components) * count),
          defined_(valueType.components, LaneMask::firstLanes(count)) {
        static_cast<Value&>(*this) = {data_.data(), defined_.data(), &valueType, count};
    }
    OwnValue(OwnValue&&) = delete;

 private:
    std::vector<uint64_t> data_;
    std::vector<LaneMask> defined_;
};

// The type of parameter `index`.
inline const Type& parameterType(const Subgroup& subgroup, const Function& function,
                                 uint32_t index) {
    return *subgroup.value(function.parameters[index]).type;
}

}  // namespace coopvk::reference::matrices
