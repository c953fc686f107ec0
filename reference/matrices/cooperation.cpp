// SPDX-License-Identifier: Apache-2.0
#include "matrices/cooperation.hpp"

namespace coopvk::reference::matrices {
namespace {

bool ofWorkgroup(const Type& matrix) { return matrix.scope != spv::Scope::Subgroup; }

// Calls f(value, component, lane, position) for each component of a matrix in all invocations that
// hold it: those of the subgroup, or of all subgroups of the workgroup.
template <typename F>
void forWhole(Subgroup& subgroup, uint32_t slot, F&& f) {
    const Type& type = *subgroup.value(slot).type;
    std::span<Subgroup> holders(&subgroup, 1);
    if (ofWorkgroup(type)) holders = subgroup.group->subgroups;
    for (Subgroup& holder : holders)
        forComponents(holder, type,
                      [&, value = holder.value(slot)](uint32_t c, uint32_t lane,
                                                      const Position& p) { f(value, c, lane, p); });
}

}  // namespace

std::vector<Element> elementsAt(const Value& value, uint32_t lane) {
    std::vector<Element> elements(value.components());
    for (uint32_t c = 0; c < value.components(); ++c) elements[c] = value.get(c, lane);
    return elements;
}

void setElements(const Value& value, uint32_t lane, std::span<const Element> elements) {
    for (uint32_t c = 0; c < value.components(); ++c)
        value.set(c, lane, c < elements.size() ? elements[c] : kUndefined);
}

Holder::Holder(const Subgroup& subgroup, const Type& matrix)
    : placement_({matrix.rows, matrix.columns, matrix.use,
                  ofWorkgroup(matrix) ? subgroup.program->invocations : subgroup.lanes},
                 subgroup.group->settings->placement, subgroup.group->settings->seed),
      first_(ofWorkgroup(matrix) ? subgroup.index * subgroup.lanes : 0) {}

Matrix gather(Subgroup& subgroup, uint32_t slot, std::optional<Number> number) {
    const Type& type = *subgroup.value(slot).type;
    Matrix matrix(number.value_or(numberOf(*type.element)), type.rows, type.columns);
    forWhole(subgroup, slot, [&](const Value& from, uint32_t c, uint32_t lane, const Position& p) {
        if (p.exists) matrix.at(p.row, p.column) = from.get(c, lane);
    });
    return matrix;
}

void checkActive(Subgroup& subgroup, const Instruction& instruction) {
    if (subgroup.phase != 0 || subgroup.mask == subgroup.all) return;
    subgroup.report(kCheckDivergence, instruction, (~subgroup.mask & subgroup.all).first(),
                    "a cooperative instruction is not executed by this invocation");
}

bool hasToMeet(Subgroup& subgroup, const Instruction& instruction, const Type& matrix) {
    checkActive(subgroup, instruction);
    return ofWorkgroup(matrix) && subgroup.phase == 0;
}

Step onWhole(Subgroup& subgroup, const Instruction& instruction, Compute compute) {
    if (hasToMeet(subgroup, instruction, *instruction.type)) return Step::kMeet;
    // The first subgroup works for all.
    if (ofWorkgroup(*instruction.type) && subgroup.index != 0) return Step::kNext;
    const std::optional<Matrix> result = compute(subgroup, instruction);
    if (!result) return Step::kStop;
    forWhole(subgroup, instruction.result,
             [&](const Value& to, uint32_t c, uint32_t lane, const Position& p) {
                 to.set(c, lane, p.exists ? result->at(p.row, p.column) : Element{});
             });
    return Step::kNext;
}

int64_t uniformInteger(Subgroup& subgroup, const Instruction& instruction, uint32_t operand) {
    const uint64_t bits = subgroup.uniform(instruction, operand);
    const Type& type = *subgroup.operand(instruction, operand).type;
    return type.isSigned ? signExtend(bits, type.width) : int64_t(bits);
}

Pointer uniformPointer(Subgroup& subgroup, const Instruction& instruction, uint32_t operand) {
    (void)subgroup.uniform(instruction, operand);
    return pointerAt(subgroup.operand(instruction, operand), subgroup.mask.first());
}

SumRule sumRule(const Subgroup& subgroup, const Instruction& instruction, Number result) {
    const Settings& settings = *subgroup.group->settings;
    return {result, settings.sums, mix(settings.seed ^ instruction.word), false};
}

}  // namespace coopvk::reference::matrices
