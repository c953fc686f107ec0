// SPDX-License-Identifier: Apache-2.0
//
// What instructions on matrices and vectors share: elements in invocations, the invocations that
// hold a matrix and their meeting, operands that must be uniform, functions that are called for
// elements.
#pragma once

#include <deque>

#include "execution/opcode_table.hpp"
#include "matrices/matrix.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference::matrices {

// All components of a value in one lane.
inline std::vector<Element> elementsAt(const Value& value, uint32_t lane) {
    std::vector<Element> elements(value.components());
    for (uint32_t c = 0; c < value.components(); ++c) elements[c] = value.get(c, lane);
    return elements;
}
// The components of a lane from these elements; what they lack is undefined.
inline void setElements(const Value& value, uint32_t lane, std::span<const Element> elements) {
    for (uint32_t c = 0; c < value.components(); ++c)
        value.set(c, lane, c < elements.size() ? elements[c] : kUndefined);
}

inline bool ofWorkgroup(const Type& matrix) { return matrix.scope != spv::Scope::Subgroup; }

// Shapes for which a GPU's map has no rule lie as the schedule says.
inline PlacementChoice placementOf(const Settings& settings) {
    const bool isMap = settings.placement > Choice::kExact;
    return {settings.placement, isMap ? settings.schedule : settings.placement};
}

// Which elements of a matrix of this type the lanes of a subgroup hold.
struct Holder {
    Holder(const Subgroup& s, const Type& matrix)
        : placement({matrix.rows, matrix.columns, matrix.use,
                     ofWorkgroup(matrix) ? s.program->invocations : s.lanes, matrix.element->width,
                     !ofWorkgroup(matrix)},
                    placementOf(*s.group->settings), s.group->settings->seed),
          first(ofWorkgroup(matrix) ? s.index * s.lanes : 0) {}
    ElementPosition position(uint32_t component, uint32_t lane) const {
        return placement.position(first + lane, component);
    }

    Placement placement;
    uint32_t first;  // number of lane 0 among the invocations of the matrix's scope
};
// Calls f(component, lane, position) for each component in each active lane of the subgroup.
template <typename F>
void forComponents(const Subgroup& s, const Type& matrix, F&& f) {
    const Holder holder(s, matrix);
    for (uint32_t c = 0; c < matrix.components; ++c)
        forLanes(s, [&](uint32_t lane) { f(c, lane, holder.position(c, lane)); });
}
// Calls f(value, component, lane, position) for each component of a matrix in all invocations that
// hold it: those of the subgroup, or of all subgroups of the workgroup.
template <typename F>
void forWhole(Subgroup& s, uint32_t slot, F&& f) {
    const Type& type = *s.values[slot].type;
    std::span<Subgroup> holders(&s, 1);
    if (ofWorkgroup(type)) holders = s.group->subgroups;
    for (Subgroup& holder : holders) {
        const Value value = holder.values[slot];
        forComponents(holder, type, [&](uint32_t c, uint32_t lane, const ElementPosition& p) {
            f(value, c, lane, p);
        });
    }
}

// A matrix from the components in all its invocations; its format is numberOf(component) or
// `number`.
inline Matrix gather(Subgroup& s, uint32_t slot, std::optional<Number> number = std::nullopt) {
    const Type& type = *s.values[slot].type;
    Matrix matrix(number.value_or(numberOf(*type.element)), type.rows, type.columns);
    forWhole(s, slot, [&](const Value& from, uint32_t c, uint32_t lane, const ElementPosition& p) {
        if (p.exists) matrix.at(p.row, p.column) = from.get(c, lane);
    });
    return matrix;
}

// SPV_KHR_cooperative_matrix, OpTypeCooperativeMatrixKHR: "all the invocations in the Scope
// instance are active or none of them are".
inline void reach(Subgroup& s) {
    if (s.phase == 0) s.tell<&Observer::barrier>(kEventBarrier, Barrier{Barrier::kReached});
}

// The same, and whether the subgroup has to wait (Step::kMeet) for all invocations of the matrix's
// scope, which execute the instruction together.
inline bool hasToMeet(Subgroup& s, const Type& matrix) {
    reach(s);
    return ofWorkgroup(matrix) && s.phase == 0;
}

// The handler of an instruction that needs the elements of other invocations: all invocations of
// the result's scope meet, the first subgroup works for all. kCompute(s) returns the whole result,
// or nothing if the execution stops.
template <auto kCompute>
Step whole(Subgroup& s) {
    if (hasToMeet(s, s.type())) return Step::kMeet;
    if (ofWorkgroup(s.type()) && s.index != 0) return Step::kNext;
    const std::optional<Matrix> result = kCompute(s);
    if (!result) return Step::kStop;
    forWhole(s, s.at->result,
             [&](const Value& to, uint32_t c, uint32_t lane, const ElementPosition& p) {
                 to.set(c, lane, p.exists ? result->at(p.row, p.column) : Element{});
             });
    return Step::kNext;
}

// An operand that must be the same in all invocations: its first component, sign-extended from its
// type if that is signed.
inline int64_t uniformInteger(Subgroup& s, uint32_t operand) {
    const uint64_t bits = s.uniform(operand);
    const Type& type = *s.operand(operand).type;
    return type.isSigned ? signExtend(bits, type.width) : int64_t(bits);
}
inline Pointer uniformPointer(Subgroup& s, uint32_t operand) {
    (void)s.uniform(operand);
    return pointerAt(s, s.operand(operand), s.mask.first());
}

// By the settings and the instruction.
inline SumRule sumRule(const Subgroup& s, Number result) {
    const Settings& settings = *s.group->settings;
    return {result, settings.sums, mix(settings.seed ^ s.at->resultId), false, nullptr, s.shadow};
}

// Calls a function for elements of a matrix, one in each lane of `mask`.
// SPV_NV_cooperative_matrix2: "calls may occur more than once". With Calls::kRepeated the next lane
// calls it first, with the same arguments.
inline bool callForElements(Subgroup& s, const Function& function, std::span<const Value> arguments,
                            LaneMask mask) {
    if (s.group->settings->calls == Calls::kRepeated && s.mask == s.all) {
        const auto behind = [&](uint32_t lane) { return (lane + 1) % s.all.count(); };
        std::deque<OwnValue> moved;
        for (const Value& argument : arguments) {
            const Value& to = moved.emplace_back(*argument.type, s.lanes);
            for (uint32_t c = 0; c < to.components(); ++c)
                mask.forEach([&](uint32_t l) { to.set(c, behind(l), argument.get(c, l)); });
        }
        LaneMask others;
        mask.forEach([&](uint32_t lane) { others.set(behind(lane)); });
        const std::vector<Value> values(moved.begin(), moved.end());
        if (!callFunction(s, function, values, others)) return false;
    }
    return callFunction(s, function, arguments, mask);
}

// The type of parameter `index`.
inline const Type& parameterType(const Subgroup& s, const Function& function, uint32_t index) {
    return *s.values[function.parameters[index]].type;
}

// Without NoContraction a sum may be rearranged with that before it: products to f16 one behind the
// other, as in a loop, are one sum, which nothing rounds or lets overflow in between.
Matrix multiplyAddOn(Subgroup& s, const Matrix& a, const Matrix& b, const Matrix& c, SumRule rule);

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixReduceNV.
std::optional<Matrix> reduceMatrix(Subgroup& s);

}  // namespace coopvk::reference::matrices
