// SPDX-License-Identifier: Apache-2.0
#include "matrix/packs.hpp"

#include "lowering/number_memory.hpp"
#include "matrix/open_sums.hpp"

namespace coopvk::rewrite {

bool MatrixType::isConverted() const { return number->form != nullptr; }

std::vector<Id> extractPacks(Emitter& emit, const MatrixType& matrix, Id value) {
    if (matrix.sums != Sums::kClosed) {
        return closeSums(emit, matrix, extractSums(emit, matrix, value));
    }
    std::vector<Id> packs;
    packs.reserve(matrix.fragment.packs());
    for (uint32_t p = 0; p < matrix.fragment.packs(); ++p) {
        packs.push_back(emit.extract(matrix.pack, value, {p}));
    }
    return packs;
}

Id constructFromPacks(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs,
                      Id result) {
    if (matrix.sums != Sums::kClosed) {
        return constructFromSums(emit, matrix, openSums(emit, matrix, packs), result);
    }
    if (result == 0) result = emit.module().takeId();
    emit.add(makeInstruction(spv::Op::OpCompositeConstruct, matrix.id, result, idOperands(packs)));
    return result;
}

Id withSign(MatrixContext& context, Emitter& emit, const MatrixType& matrix, Id value,
            bool isSigned) {
    if (!matrix.isConverted() || matrix.words ||
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

ElementSlots::ElementSlots(const MatrixType& matrix, Emitter& emit, Id value)
    : matrix_(matrix), slots_(slotsOf(matrix, extractPacks(emit, matrix, value))) {}

Id ElementSlots::scalar(Emitter& emit, uint32_t row, uint32_t column) {
    Slot& slot = at(row, column);
    const Slot one[] = {slot};
    slot = {gather(emit, matrix_.component, one), 0};
    return slot.value;
}

Id ElementSlots::construct(Emitter& emit, Id result) {
    return constructFromPacks(emit, matrix_, gatherPacks(emit, matrix_, slots_), result);
}

}  // namespace coopvk::rewrite
