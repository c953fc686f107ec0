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

// The place of any element, by the steps of the specification; and the coordinates of rows.

using Layout = TensorLayoutType;
using View = TensorViewType;
using Coordinates = std::vector<Id>;

namespace {

// max(value, 1).
Id atLeastOne(Emitter& emit, Id value) {
    if (const std::optional<uint64_t> known = emit.module().constantValue(value)) {
        return *known == 0 ? emit.constant(1) : value;
    }
    return emit.glsl(GLSLstd450UMax, emit.types().uint32(), {value, emit.constant(1)});
}

}  // namespace

Id safeDivide(Emitter& emit, Id a, Id b) {
    return emit.divInt(emit.types().uint32(), a, atLeastOne(emit, b));
}

Id safeRemainder(Emitter& emit, Id a, Id b) {
    return emit.modInt(emit.types().uint32(), a, atLeastOne(emit, b));
}

namespace {

// A function of a row, a boolean and sizes of dimensions, the last of which changes fastest. It
// returns the coordinates of the row. Where the boolean is true, all rows are below the last size:
// no division is needed.
Id buildRowCoordinates(LoweringContext& context, Id resultType, uint32_t count) {
    TypeTable& types = context.types;
    std::vector<Id> parameters(count + 2, types.uint32());
    parameters[1] = types.boolType();
    FunctionBuilder b(types, context.newFunctions, "coopvk_tensor_row", resultType, parameters);
    Emitter& emit = b.emit();
    const auto rowAlone = [&] {
        Coordinates coordinates(count, emit.constant(0));
        coordinates.back() = b.parameter(0);
        return emit.construct(resultType, coordinates);
    };
    const auto divided = [&] {
        Coordinates coordinates(count);
        Id rest = b.parameter(0);
        for (uint32_t d = count; d-- > 0;) {
            coordinates[d] = safeRemainder(emit, rest, b.parameter(d + 2));
            if (d != 0) rest = safeDivide(emit, rest, b.parameter(d + 2));
        }
        return emit.construct(resultType, coordinates);
    };
    return b.finish(b.chooseValue(resultType, b.parameter(1), rowAlone, divided));
}

}  // namespace

// Coordinates of a row in the span: of all dimensions but the innermost, in the view's order.
Coordinates TensorAddress::ofSpan(Id row) {
    const uint32_t count = dimensions() - 1;
    if (count == 0) return {};
    const Id rowsFit = this->rowsFit();
    if (emit_.isTrue(rowsFit)) {
        Coordinates rowAlone(count, emit_.constant(0));
        rowAlone.back() = row;
        return rowAlone;
    }
    Coordinates arguments = {row, rowsFit};
    for (uint32_t d = 0; d < count; ++d) {
        arguments.push_back(layoutAt(Layout::kSpan, permuted(d)));
    }
    const Id resultType = types_.structType(Coordinates(count, types_.uint32()));
    const Id function = context_.helper({static_cast<uint32_t>(OpTypeTensorLayoutNV), count}, [&] {
        return buildRowCoordinates(context_, resultType, count);
    });
    return structureMembers(emit_, emit_.call(resultType, function, arguments));
}

// matrixCoordToLinear.
Id TensorAddress::linear(TensorPart& part, Id row, Id column) {
    const Id u32 = types_.uint32();
    Id width = columns_;
    if (clips()) {
        const auto clip = [&](Id at, View::Clip offset, View::Clip span) {
            const Id begin = clipAt(offset);
            const Id end = emit_.addU32(begin, clipAt(span));
            const Condition isBehind = emit_.compare(OpUGreaterThanEqual, at, begin);
            const Condition isAhead = emit_.compare(OpULessThan, at, end);
            part.isKept = emit_.both(part.isKept, emit_.both(isBehind, isAhead));
            return emit_.op(OpISub, u32, {at, begin});
        };
        row = clip(row, View::kRowOffset, View::kRowSpan);
        column = clip(column, View::kColumnOffset, View::kColumnSpan);
        width = emit_.glsl(GLSLstd450UMin, u32, {width, clipAt(View::kColumnSpan)});
    }
    return emit_.addU32(emit_.mulU32(row, width), column);
}

// Coordinates in dimensions of these sizes, in the order of `permutation`.
Coordinates TensorAddress::divided(Id index, std::span<const Id> sizes,
                                   std::span<const uint32_t> permutation) {
    Coordinates coordinates(sizes.size());
    for (size_t d = sizes.size(); d-- > 0;) {
        const uint32_t i = permutation[d];
        coordinates[i] = safeRemainder(emit_, index, sizes[i]);
        if (d != 0) index = safeDivide(emit_, index, sizes[i]);
    }
    return coordinates;
}

// The sizes of `count` dimensions of the span; 1 for those beyond the layout's.
Coordinates TensorAddress::spans(uint32_t count) {
    Coordinates sizes;
    for (uint32_t d = 0; d < count; ++d) {
        sizes.push_back(d < dimensions() ? layoutAt(Layout::kSpan, d) : emit_.constant(1));
    }
    return sizes;
}

// linearToViewCoord, viewCoordToLinear and linearToSpanCoord. The last two are the inverse of each
// other where HasDimensions is false and the view has as many dimensions as the layout.
Coordinates TensorAddress::throughView(Id index) {
    const View& view = *access_.view;
    Coordinates sizes = spans(view.dimensions);
    if (view.hasDimensions) {
        for (uint32_t d = 0; d < view.dimensions; ++d) sizes[d] = viewAt(View::kDimension, d);
    }
    const Coordinates inView = divided(index, sizes, view.permutation);
    if (!view.hasDimensions && view.dimensions == dimensions()) return inView;
    Id stride = emit_.constant(1);
    Id sum = emit_.constant(0);
    for (uint32_t d = view.dimensions; d-- > 0;) {
        if (view.hasDimensions) stride = viewAt(View::kStride, d);
        sum = emit_.addU32(sum, emit_.mulU32(inView[d], stride));
        if (!view.hasDimensions) stride = emit_.mulU32(stride, sizes[d]);
    }
    return ofSpanIndex(sum);
}

// linearToSpanCoord.
Coordinates TensorAddress::ofSpanIndex(Id index) {
    constexpr uint32_t kInOrder[] = {0, 1, 2, 3, 4};
    return divided(index, spans(dimensions()), kInOrder);
}

TensorPart TensorAddress::place(Id row, Id column) {
    TensorPart part;
    const Id index = linear(part, row, column);
    const Coordinates inSpan = access_.view != nullptr ? throughView(index) : ofSpanIndex(index);
    for (uint32_t d = 0; d < dimensions(); ++d) add(part, d, inSpan[d]);
    part.inside = emit_.both(part.inside, isNotEmpty());
    return part;
}

// Calls visit(member of the part, type) for what the helper function returns.
template <typename Visit>
void TensorAddress::eachValue(TensorPart& part, Visit visit) const {
    const Id u32 = types_.uint32(), boolean = types_.boolType();
    visit(part.index, u32);
    if (clampMode() != spv::TensorClampMode::Undefined) visit(part.inside, boolean);
    if (clips()) visit(part.isKept, boolean);
    for (uint32_t d = 0; access_.isDecoded && d < dimensions(); ++d) {
        visit(part.block[d], u32);
        visit(part.inBlock[d], u32);
    }
}

// Parameters: layout, the view where there is one, row and column, and the columns of the matrix;
// its rows where addresses may be separable. So matrices of several sizes share the function.
Id TensorAddress::buildPlace(Id resultType) {
    const Id u32 = types_.uint32();
    const bool hasView = access_.view != nullptr;
    const bool mayBeSeparable = context_.target.device.prefersShortCode;
    std::vector<Id> parameters = {access_.layout->id, u32, u32, u32};
    if (mayBeSeparable) parameters.push_back(u32);
    if (hasView) parameters.insert(parameters.begin() + 1, access_.view->id);
    const size_t row = hasView ? 2 : 1;
    FunctionBuilder b(types_, context_.newFunctions, "coopvk_tensor_place", resultType, parameters);
    const std::optional<Id> view = hasView ? std::optional(b.parameter(1)) : std::nullopt;
    TensorAddress inside(context_, b.emit(), access_, b.parameter(0), view);
    inside.columns_ = b.parameter(row + 2);
    if (mayBeSeparable) inside.rows_ = b.parameter(row + 3);
    const auto result = [&](TensorPart part) {
        std::vector<Id> members;
        inside.eachValue(part,
                         [&](Condition value, Id) { members.push_back(b.emit().boolean(value)); });
        return b.emit().construct(resultType, members);
    };
    const auto general = [&] {
        return result(inside.place(b.parameter(row), b.parameter(row + 1)));
    };
    const auto separable = [&] {
        const TensorPart ofRow = inside.ofRow(b.parameter(row));
        return result(join(b.emit(), ofRow, inside.ofColumn(b.parameter(row + 1))));
    };
    // Then no other way has separable addresses.
    const Condition isSeparable = mayBeSeparable ? inside.isSeparable() : Condition::never();
    if (isSeparable.isNever()) return b.finish(general());
    return b.finish(b.chooseValue(resultType, b.emit().boolean(isSeparable), separable, general));
}

TensorPart TensorAddress::ofElement(Id row, Id column) {
    TensorPart part;
    part.coordinate = row;
    std::vector<Id> types;
    eachValue(part, [&](auto&, Id type) { types.push_back(type); });
    const Id resultType = types_.structType(types);
    const std::vector<uint32_t> key = {static_cast<uint32_t>(OpTypeTensorViewNV),
                                       access_.layout->id,
                                       access_.view != nullptr ? access_.view->id : 0,
                                       (access_.isStore ? 1u : 0u) | (access_.isDecoded ? 2u : 0u)};
    const Id function = context_.helper(key, [&] { return buildPlace(resultType); });
    Operands operands = {idOperand(function), idOperand(layoutValue_)};
    if (viewValue_) operands.push_back(idOperand(*viewValue_));
    append(operands, {idOperand(row), idOperand(column), idOperand(columns_)});
    if (context_.target.device.prefersShortCode) operands.push_back(idOperand(rows_));
    const std::vector<Id> members =
        structureMembers(emit_, emit_.op(OpFunctionCall, resultType, std::move(operands)));
    auto member = members.begin();
    eachValue(part, [&](auto& value, Id) { value = *member++; });
    return part;
}

}  // namespace coopvk::rewrite
