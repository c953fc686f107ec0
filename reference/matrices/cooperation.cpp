// SPDX-License-Identifier: Apache-2.0
#include "matrices/cooperation.hpp"

#include <array>

#include "matrices/vectors.hpp"

namespace coopvk::reference::matrices {
namespace {

bool ofWorkgroup(const Type& matrix) { return matrix.scope != spv::Scope::Subgroup; }

// The subgroups whose invocations hold matrices of this type: one, or all of the workgroup.
std::span<Subgroup> holdersOf(Subgroup& subgroup, const Type& matrix) {
    if (ofWorkgroup(matrix)) return subgroup.group->subgroups;
    return {&subgroup, 1};
}

}  // namespace

std::vector<Element> elementsAt(const Value& value, uint32_t lane) {
    std::vector<Element> elements(value.components());
    for (uint32_t c = 0; c < value.components(); ++c) elements[c] = elementAt(value, c, lane);
    return elements;
}

void setElements(const Value& value, uint32_t lane, std::span<const Element> elements) {
    for (uint32_t c = 0; c < value.components(); ++c) {
        setElement(value, c, lane, c < elements.size() ? elements[c] : Element{0, false});
    }
}

Element ElementMemory::read(Subgroup& holder, uint32_t lane, uint64_t bitOffset) const {
    std::array<std::byte, 8> bytes{};
    const auto part = std::span(bytes).first((bits + 7) / 8);
    bool written = true;
    readMemory(holder, instruction, lane, pointer, bitOffset / 8, part, access, written);
    return {readElement(part) >> bitOffset % 8 & widthMask(bits), written};
}

void ElementMemory::write(Subgroup& holder, uint32_t lane, uint64_t bitOffset,
                          const Element& element) const {
    if (!element.defined) {
        holder.report(kCheckUndefined, instruction, lane, "an undefined element is stored");
    }
    std::array<std::byte, 8> bytes{};
    const auto part = std::span(bytes).first((bits + 7) / 8);
    uint64_t whole = element.bits;
    if (bits < 8) {
        const Span place = locate(holder, instruction, lane, pointer, bitOffset / 8, 1);
        const uint64_t old = place.data != nullptr ? uint64_t(*place.data) : 0;
        const uint64_t mask = widthMask(bits) << bitOffset % 8;
        whole = (old & ~mask) | (whole << bitOffset % 8 & mask);
    }
    writeElement(whole, part);
    writeMemory(holder, instruction, lane, pointer, bitOffset / 8, part, access);
}

Placement placementOf(const Subgroup& subgroup, const Type& matrix) {
    const uint32_t invocations =
        ofWorkgroup(matrix) ? subgroup.program->invocations : subgroup.program->lanes;
    const Settings& settings = *subgroup.group->settings;
    return {
        {matrix.rows, matrix.columns, matrix.use, invocations}, settings.placement, settings.seed};
}

uint32_t invocationOf(const Subgroup& subgroup, const Type& matrix, uint32_t lane) {
    return ofWorkgroup(matrix) ? subgroup.index * subgroup.lanes + lane : lane;
}

Matrix gather(Subgroup& subgroup, uint32_t slot, std::optional<Number> number) {
    const Type& type = *subgroup.value(slot).type;
    Matrix matrix(number.value_or(numberOf(*type.element)), type.rows, type.columns);
    for (Subgroup& holder : holdersOf(subgroup, type)) {
        const Value value = holder.value(slot);
        forComponents(holder, type, [&](uint32_t c, uint32_t lane, const Position& p) {
            if (p.exists) matrix.at(p.row, p.column) = elementAt(value, c, lane);
        });
    }
    return matrix;
}

void scatter(Subgroup& subgroup, uint32_t slot, const Matrix& matrix) {
    const Type& type = *subgroup.value(slot).type;
    for (Subgroup& holder : holdersOf(subgroup, type)) {
        const Value value = holder.value(slot);
        forComponents(holder, type, [&](uint32_t c, uint32_t lane, const Position& p) {
            setElement(value, c, lane, p.exists ? matrix.at(p.row, p.column) : Element{});
        });
    }
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
    scatter(subgroup, instruction.result, *result);
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
    return {result, subgroup.group->settings->sums, seedOf(subgroup, instruction), false};
}

uint64_t seedOf(const Subgroup& subgroup, const Instruction& instruction) {
    return mix(subgroup.group->settings->seed ^ instruction.word);
}

}  // namespace coopvk::reference::matrices
