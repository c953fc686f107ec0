// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor_address.hpp"

#include <spirv/unified1/GLSL.std.450.h>

namespace coopvk::rewrite {

using Layout = TensorLayoutType;
using View = TensorViewType;

TensorAddress::TensorAddress(LoweringContext& context, Emitter& emit, const TensorAccess& access,
                             Id layout, std::optional<Id> view)
    : context_(context),
      types_(context.types),
      emit_(emit),
      access_(access),
      layoutValue_(layout),
      viewValue_(view),
      rows_(emit.constant(access.rows)),
      columns_(emit.constant(access.columns)),
      layout_(structureMembers(emit, layout)),
      view_(view ? structureMembers(emit, *view) : std::vector<Id>{}) {}

uint32_t TensorAddress::permuted(uint32_t dimension) const {
    return access_.view != nullptr ? access_.view->permutation[dimension] : dimension;
}

// In all modes but Undefined, stores outside of the tensor are discarded.
spv::TensorClampMode TensorAddress::clampMode() const {
    const spv::TensorClampMode mode = access_.layout->clamp;
    const bool discards = access_.isStore && mode != spv::TensorClampMode::Undefined;
    return discards ? spv::TensorClampMode::Constant : mode;
}

// Whether the address is separable.

// The stride of a dimension if the dimensions of the span are tightly packed.
Id TensorAddress::spanStride(uint32_t dimension) {
    Id stride = emit_.constant(1);
    for (uint32_t d = dimensions(); --d > dimension;) {
        stride = emit_.mulU32(stride, layoutAt(Layout::kSpan, d));
    }
    return stride;
}

Condition TensorAddress::isNotEmpty() {
    Condition condition = Condition::always();
    if (clampMode() == spv::TensorClampMode::Undefined) return condition;
    for (uint32_t d = 0; d < dimensions(); ++d) {
        const Condition hasElements =
            emit_.compare(OpINotEqual, layoutAt(Layout::kDimension, d), emit_.constant(0));
        condition = emit_.both(condition, hasElements);
    }
    return condition;
}

Condition TensorAddress::isUnclipped() {
    const Id zero = emit_.constant(0);
    Condition condition = equal(clipAt(View::kRowOffset), zero);
    condition = emit_.both(condition, equal(clipAt(View::kColumnOffset), zero));
    const auto covers = [&](View::Clip span, Id size) -> Condition {
        return emit_.compare(OpUGreaterThanEqual, clipAt(span), size);
    };
    condition = emit_.both(condition, covers(View::kRowSpan, rows_));
    return emit_.both(condition, covers(View::kColumnSpan, columns_));
}

// Whether the dimensions of the view are those of the span.
Condition TensorAddress::viewIsSpan() {
    Condition condition = Condition::always();
    if (!access_.view->hasDimensions) return condition;
    for (uint32_t d = 0; d < dimensions(); ++d) {
        const Condition sameSize = equal(viewAt(View::kDimension, d), layoutAt(Layout::kSpan, d));
        const Condition sameStride = equal(viewAt(View::kStride, d), spanStride(d));
        condition = emit_.both(condition, emit_.both(sameSize, sameStride));
    }
    return condition;
}

Condition TensorAddress::isSeparable() {
    if (access_.view != nullptr && access_.view->dimensions != dimensions())
        return Condition::never();
    const uint32_t innermost = permuted(dimensions() - 1);
    Condition condition = equal(layoutAt(Layout::kSpan, innermost), columns_);
    if (clips()) condition = emit_.both(condition, isUnclipped());
    if (access_.view != nullptr) condition = emit_.both(condition, viewIsSpan());
    return emit_.both(condition, isNotEmpty());
}

// Whether the dimension in which rows of the matrix are neighbours has at least as many elements.
Id TensorAddress::rowsFit() {
    return emit_.compare(OpUGreaterThanEqual, layoutAt(Layout::kSpan, permuted(dimensions() - 2)),
                         rows_);
}

// Runs.

std::optional<bool> TensorAddress::runsAlongRows() const {
    const spv::TensorClampMode mode = clampMode();
    const bool canBeWhole =
        mode == spv::TensorClampMode::Undefined || mode == spv::TensorClampMode::Constant;
    const uint32_t last = dimensions() - 1;
    if (!canBeWhole || (access_.view != nullptr && access_.view->dimensions != dimensions())) {
        return std::nullopt;
    }
    if (permuted(last) == last) return true;
    if (permuted(last - 1) == last) return false;
    return std::nullopt;
}

Condition TensorAddress::hasRuns(uint32_t length) {
    const uint32_t last = dimensions() - 1;
    Condition condition = isMultiple(emit_, layoutAt(Layout::kOffset, last), length);
    if (!runsAlongRows().value_or(true)) condition = emit_.both(condition, Condition(rowsFit()));
    if (clampMode() == spv::TensorClampMode::Constant) {
        const Condition endsWithOne = isMultiple(emit_, layoutAt(Layout::kDimension, last), length);
        condition = emit_.both(condition, endsWithOne);
    }
    if (access_.isDecoded) return condition;
    const auto isOne = [&](Layout::Field field) {
        return equal(layoutAt(field, last), emit_.constant(1));
    };
    condition = emit_.both(condition, isOne(Layout::kBlockSize));
    condition = emit_.both(condition, isOne(Layout::kStride));
    for (uint32_t d = 0; d < last; ++d) {
        const Condition beginsWithOne = isMultiple(emit_, layoutAt(Layout::kStride, d), length);
        condition = emit_.both(condition, beginsWithOne);
    }
    return condition;
}

// OpSMod without it, since its result for a negative number is undefined in Vulkan (appendix
// "Vulkan Environment for SPIR-V"): of a negative number, period - 1 - (-1 - number) % period.
Id TensorAddress::positiveRemainder(Id number, Id period) {
    const Id u32 = types_.uint32();
    const Id isNegative = emit_.compare(OpSLessThan, number, emit_.constant(0));
    const Id flipped = emit_.op(OpNot, u32, {number});
    const Id magnitude = emit_.select(isNegative, flipped, number);
    const Id rest = emit_.op(OpUMod, u32, {magnitude, period});
    const Id most = emit_.op(OpISub, u32, {period, emit_.constant(1)});
    const Id fromEnd = emit_.op(OpISub, u32, {most, rest});
    return emit_.select(isNegative, fromEnd, rest);
}

// From the span to the tensor.

// Applies the clamp mode to a coordinate (u32 that is read as signed). `run`: length of the run
// that starts there.
Id TensorAddress::clamped(Id coordinate, Id size, uint32_t run) {
    const Id u32 = types_.uint32();
    const auto minus = [&](Id a, Id b) { return emit_.op(OpISub, u32, {a, b}); };
    const Id one = emit_.constant(1);
    switch (clampMode()) {
        case spv::TensorClampMode::Constant:
            // The value that is loaded outside is dropped, but the load must be inside of the
            // buffer.
            return access_.isStore ? coordinate
                                   : emit_.glsl(GLSLstd450UMin, u32,
                                                {coordinate, minus(size, emit_.constant(run))});
        case spv::TensorClampMode::ClampToEdge: {
            const Id positive = emit_.glsl(GLSLstd450SMax, u32, {coordinate, emit_.constant(0)});
            return emit_.glsl(GLSLstd450SMin, u32, {positive, minus(size, one)});
        }
        case spv::TensorClampMode::Repeat: {
            const Id period = emit_.glsl(GLSLstd450SMax, u32, {size, one});
            return positiveRemainder(coordinate, period);
        }
        case spv::TensorClampMode::RepeatMirrored: {
            // The specification's period is 0 where the dimension has one element.
            const Id whole = minus(emit_.addU32(size, size), emit_.constant(2));
            const Id period = emit_.glsl(GLSLstd450SMax, u32, {whole, one});
            const Id turned = positiveRemainder(coordinate, period);
            const Id isBack = emit_.compare(OpUGreaterThanEqual, turned, size);
            return emit_.select(isBack, minus(period, turned), turned);
        }
        default:
            return coordinate;
    }
}

TensorAddress::Coordinate TensorAddress::coordinate(uint32_t dimension, Id inSpan) {
    const Id u32 = types_.uint32();
    const Id size = layoutAt(Layout::kDimension, dimension);
    const Id wanted = emit_.addU32(inSpan, layoutAt(Layout::kOffset, dimension));
    Coordinate c;
    if (clampMode() == spv::TensorClampMode::Constant) {
        // Negative coordinates are, as u32, not below 2^31.
        const Id most = emit_.glsl(GLSLstd450UMin, u32, {size, emit_.constant(1u << 31)});
        c.inside = emit_.compare(OpULessThan, wanted, most);
    }
    const Id found = clamped(wanted, size, dimension + 1 == dimensions() ? run_ : 1);
    const Id blockSize = layoutAt(Layout::kBlockSize, dimension);
    c.block = safeDivide(emit_, found, blockSize);
    if (access_.isDecoded) c.inBlock = safeRemainder(emit_, found, blockSize);
    return c;
}

void TensorAddress::add(TensorPart& part, uint32_t dimension, Id inSpan) {
    const Coordinate c = coordinate(dimension, inSpan);
    const Id step = emit_.mulU32(c.block, layoutAt(Layout::kStride, dimension));
    part.index = part.index == 0 ? step : emit_.addU32(part.index, step);
    part.inside = emit_.both(part.inside, c.inside);
    part.block[dimension] = c.block;
    part.inBlock[dimension] = c.inBlock;
}

// Separable addresses.

TensorPart TensorAddress::ofRow(Id row) {
    TensorPart part;
    part.coordinate = row;
    const std::vector<Id> coordinates = ofSpan(row);
    for (uint32_t d = 0; d < coordinates.size(); ++d) add(part, permuted(d), coordinates[d]);
    if (part.index == 0) part.index = emit_.constant(0);
    return part;
}

TensorPart TensorAddress::ofColumn(Id column) {
    TensorPart part;
    part.coordinate = column;
    add(part, permuted(dimensions() - 1), column);
    return part;
}

TensorPart TensorAddress::join(Emitter& emit, const TensorPart& row, const TensorPart& column) {
    TensorPart both = row;
    both.index = emit.addU32(row.index, column.index);
    both.inside = emit.both(row.inside, column.inside);
    for (uint32_t d = 0; d < kMaxTensorDimensions; ++d) {
        if (column.block[d] == 0) continue;
        both.block[d] = column.block[d];
        both.inBlock[d] = column.inBlock[d];
    }
    return both;
}

}  // namespace coopvk::rewrite
