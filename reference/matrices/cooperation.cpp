// SPDX-License-Identifier: Apache-2.0
#include "matrices/cooperation.hpp"

namespace coopvk::reference::matrices {
namespace {

bool ofWorkgroup(const Type& matrix) { return matrix.scope != spv::Scope::Subgroup; }

// Reports an operand that differs between invocations. `first`: the value elsewhere.
void checkUniform(Subgroup& holder, const Instruction& instruction, const Value& value,
                  uint32_t component, uint64_t first) {
    if (!holder.checks(kCheckUniformity)) return;
    bool reported = false;
    forLanes(holder, [&](uint32_t lane) {
        const uint64_t own = value.at(component, lane);
        if (own == first || reported) return;
        reported = true;
        holder.report(kCheckUniformity, instruction, lane,
                      "an operand of a cooperative instruction is " + std::to_string(own) +
                          " here and " + std::to_string(first) + " in another invocation");
    });
}

}  // namespace

Placement placementOf(const Subgroup& subgroup, const Type& matrix) {
    const uint32_t invocations =
        ofWorkgroup(matrix) ? subgroup.program->invocations : subgroup.program->lanes;
    const Settings& settings = *subgroup.group->settings;
    return {
        {matrix.rows, matrix.columns, matrix.use, invocations}, settings.placement, settings.seed};
}

std::span<Subgroup> holdersOf(Subgroup& subgroup, const Type& matrix) {
    if (ofWorkgroup(matrix)) return subgroup.group->subgroups;
    return {&subgroup, 1};
}

uint32_t invocationOf(const Subgroup& subgroup, const Type& matrix, uint32_t lane) {
    return ofWorkgroup(matrix) ? subgroup.index * subgroup.lanes + lane : lane;
}

Matrix gather(Subgroup& subgroup, uint32_t slot, std::optional<Number> number) {
    const Type& type = *subgroup.value(slot).type;
    Matrix matrix(number.value_or(numberOf(*type.element)), type.rows, type.columns);
    for (Subgroup& holder : holdersOf(subgroup, type)) {
        const Value value = holder.value(slot);
        forElements(holder, type, [&](uint32_t lane, uint32_t c, uint32_t row, uint32_t column) {
            matrix.at(row, column) = {value.at(c, lane), value.isDefined(c, lane)};
        });
    }
    return matrix;
}

void scatter(Subgroup& subgroup, uint32_t slot, const Matrix& matrix) {
    const Type& type = *subgroup.value(slot).type;
    for (Subgroup& holder : holdersOf(subgroup, type)) {
        clear(holder, slot);
        const Value value = holder.value(slot);
        forElements(holder, type, [&](uint32_t lane, uint32_t c, uint32_t row, uint32_t column) {
            const Element& element = matrix.at(row, column);
            value.at(c, lane) = element.bits;
            value.defined[c].assign(lane, element.defined);
        });
    }
}

std::vector<Element> componentsAt(const Value& value, uint32_t lane) {
    std::vector<Element> elements;
    elements.reserve(value.components());
    for (uint32_t c = 0; c < value.components(); ++c) {
        elements.push_back({value.at(c, lane), value.isDefined(c, lane)});
    }
    return elements;
}

void clear(Subgroup& subgroup, uint32_t slot) {
    const Value value = subgroup.value(slot);
    for (uint32_t c = 0; c < value.components(); ++c) {
        forLanes(subgroup, [&](uint32_t lane) { value.at(c, lane) = 0; });
        value.defined[c] |= subgroup.mask;
    }
}

void checkActive(Subgroup& subgroup, const Instruction& instruction) {
    if (subgroup.phase != 0 || subgroup.mask == subgroup.all ||
        !subgroup.checks(kCheckDivergence)) {
        return;
    }
    subgroup.report(kCheckDivergence, instruction, (~subgroup.mask & subgroup.all).first(),
                    "a cooperative instruction is not executed by this invocation");
}

std::optional<Step> meet(Subgroup& subgroup, const Instruction& instruction, const Type& matrix) {
    checkActive(subgroup, instruction);
    if (!ofWorkgroup(matrix)) return std::nullopt;
    if (subgroup.phase == 0) return Step::kMeet;
    // The first subgroup works for all.
    if (subgroup.index != 0) return Step::kNext;
    return std::nullopt;
}

int64_t uniformInteger(Subgroup& subgroup, const Instruction& instruction, uint32_t operand) {
    const uint64_t bits = subgroup.uniform(instruction, operand);
    const Type& type = *subgroup.operand(instruction, operand).type;
    return type.isSigned ? signExtend(bits, type.width) : int64_t(bits);
}

Pointer uniformPointer(Subgroup& subgroup, const Instruction& instruction, uint32_t operand) {
    const Value value = subgroup.operand(instruction, operand);
    const uint32_t lane = subgroup.mask.first();
    for (uint32_t c = 0; c < value.components(); ++c) {
        checkUniform(subgroup, instruction, value, c, value.at(c, lane));
    }
    return pointerAt(value, lane);
}

SumRule sumRule(const Subgroup& subgroup, Number result) {
    SumRule rule;
    rule.result = result;
    rule.seed = subgroup.group->settings->seed;
    switch (subgroup.group->settings->sums) {
        case Choice::kPlain:
            rule.order = SumOrder::plain;
            break;
        case Choice::kShuffled:
            rule.order = SumOrder::shuffled;
            break;
        case Choice::kAdversarial:
            rule.order = SumOrder::adversarial;
            break;
        case Choice::kExact:
            rule.order = SumOrder::exact;
            break;
    }
    return rule;
}

uint64_t seedOf(const Subgroup& subgroup, const Instruction& instruction) {
    return mix(subgroup.group->settings->seed ^ instruction.word);
}

}  // namespace coopvk::reference::matrices
