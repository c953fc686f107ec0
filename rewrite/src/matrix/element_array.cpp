// SPDX-License-Identifier: Apache-2.0
#include "matrix/element_array.hpp"

namespace coopvk::rewrite {

namespace {

// Whether packs are components or vectors of them. Then a loop can reach each component in the
// matrix itself, which is one load or store.
bool canHoldPacks(const MatrixContext& context, const MatrixType& matrix) {
    return context.target.device.prefersShortCode && !matrix.tiles && !matrix.words &&
           matrix.sums == Sums::kClosed && context.types.scalarOf(matrix.pack) == matrix.component;
}

}  // namespace

ElementArray::ElementArray(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix)
    : emit_(writer.emit()), matrix_(matrix), holdsPacks_(canHoldPacks(context, matrix)) {
    variable_ = writer.variable(
        holdsPacks_ ? matrix.id : context.types.arrayType(matrix.component, matrix.length()));
}

Id ElementArray::pointer(Id element) {
    if (!holdsPacks_) return emit_.chain(matrix_.component, {variable_, element});
    // As PackedType::place().
    const uint32_t step = matrix_.packStep, width = matrix_.packWidth;
    const Id line = emit_.over(element, step);
    const Id first = emit_.times(emit_.over(line, width), step);
    const Id pack = emit_.addU32(first, emit_.modulo(element, step));
    if (width == 1) return emit_.chain(matrix_.component, {variable_, pack});
    return emit_.chain(matrix_.component, {variable_, pack, emit_.modulo(line, width)});
}

void ElementArray::fill(Id matrix) {
    if (holdsPacks_) return emit_.store(variable_, matrix);
    const HeldElements held(matrix_, emit_, matrix);
    for (uint32_t e = 0; e < matrix_.length(); ++e) {
        store(emit_.constant(e), scalarOf(emit_, matrix_.component, held.slots[e]));
    }
}

Id ElementArray::whole(Id result) {
    if (holdsPacks_) {
        return emit_.op(spv::Op::OpLoad, matrix_.id, {variable_}, result);
    }
    HeldElements held(matrix_);
    for (uint32_t e = 0; e < matrix_.length(); ++e) held.slots[e] = {load(emit_.constant(e)), 0};
    return held.construct(matrix_, emit_, result);
}

}  // namespace coopvk::rewrite
