// SPDX-License-Identifier: Apache-2.0
#include "lowering/number.hpp"
#include "matrix/instructions.hpp"
#include "matrix/open_sums.hpp"

namespace coopvk::rewrite {

GridPosition& MatrixWriter::position(LaneScope scope) {
    std::optional<GridPosition>& position = positions_[static_cast<size_t>(scope)];
    if (!position) {
        position.emplace(matrices_.position(prologue(), scope));
        if (scope == LaneScope::kSubgroup) position->setLane(lane());
    }
    return *position;
}

GridPosition& MatrixWriter::position(const MatrixType& m) {
    if (!m.fragment.run) return position(m.fragment.scope);
    const auto found = runPositions_.find(m.id);
    if (found != runPositions_.end()) return found->second;
    return runPositions_.emplace(m.id, matrices_.position(prologue(), m.fragment)).first->second;
}

bool MatrixType::isConverted() const { return number->form != nullptr; }
bool MatrixType::hasFourBits() const { return number->bits == 4; }
bool MatrixType::hasSmallFloats() const { return number->isSmallFloat(); }

std::vector<Id> extractPacks(Emitter& emit, const MatrixType& matrix, Id value) {
    const std::vector<Id> parts = emit.parts(value);
    return matrix.sums == Sums::kClosed ? parts : closeSums(emit, matrix, parts);
}

Id constructFromPacks(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs,
                      Id result) {
    if (matrix.sums == Sums::kClosed) return emit.construct(matrix.id, packs, result);
    return emit.construct(matrix.id, openSums(emit, matrix, packs), result);
}

Id withSign(MatrixContext& context, Emitter& emit, const MatrixType& matrix, Id value,
            bool isSigned) {
    if (!matrix.hasFourBits() || matrix.words ||
        context.types.isSigned(matrix.component) == isSigned) {
        return value;
    }
    std::vector<Id> packs = extractPacks(emit, matrix, value);
    for (Id& pack : packs) pack = withSign(emit, *matrix.number, pack, isSigned);
    return constructFromPacks(emit, matrix, packs);
}

std::vector<Id> MatrixContext::packsOf(Emitter& emit, const PackedType& type, Id value) {
    return extractPacks(emit, matrices.at(type.id), value);
}

void MatrixContext::fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> packs,
                              Id result) {
    constructFromPacks(emit, matrices.at(type.id), packs, result);
}

HeldElements::HeldElements(const MatrixType& matrix, Emitter& emit, Id value)
    : HeldElements(matrix) {
    slots = slotsOf(matrix, extractPacks(emit, matrix, value));
}

Id HeldElements::scalar(Emitter& emit, const MatrixType& matrix, uint32_t row, uint32_t column) {
    Slot& slot = at(row, column);
    slot = {scalarOf(emit, matrix.component, slot), 0};
    return slot.value;
}

Id HeldElements::construct(const MatrixType& matrix, Emitter& emit, Id result) const {
    return constructFromPacks(emit, matrix, gatherPacks(emit, matrix, slots), result);
}

}  // namespace coopvk::rewrite
