// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "native/small_floats.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kWideItem = 8;     // f16 in the widest vector, of 16 bytes
constexpr uint32_t kWordOfBytes = 4;  // 8-bit floats in a u32
constexpr uint32_t kLinesAtOnce = 8;  // that drivers read at once, from the same place of each

}  // namespace

StagedShape StagedShape::byElements(const MatrixDimensions& matrix) {
    return {matrix.rows, matrix.columns, 1, 1, matrix.columns};
}

std::optional<StagedShape> StagedShape::byUnits(const MatrixDimensions& matrix, bool columnMajor,
                                                uint32_t pointee, uint32_t subgroupSize) {
    StagedShape shape{columnMajor ? matrix.columns : matrix.rows,
                      columnMajor ? matrix.rows : matrix.columns};
    if (shape.length % pointee != 0) return std::nullopt;
    shape.unit = pointee;
    // Units become wider while they keep all invocations busy.
    const auto mayDouble = [&](uint32_t unit) {
        return unit < kWideItem && shape.length % (unit * 2) == 0 &&
               (unit * 2 <= kWordOfBytes ||
                shape.lines * shape.length / (unit * 2) >= subgroupSize);
    };
    while (mayDouble(shape.unit)) shape.unit *= 2;
    while (shape.item < kWideItem && shape.unit % (shape.item * 2) == 0) shape.item *= 2;
    shape.stride = shape.length / shape.item;
    // With an odd stride of 16 bytes, lines that are read at once lie in different banks.
    if (shape.item == kWideItem && shape.stride % 2 == 0) ++shape.stride;
    return shape;
}

StagedElements::StagedElements(HalvesFunction& f, Id matrixType, bool columnMajor,
                               const StagedShape& shape)
    : f_(f),
      emit_(f.emit()),
      type_(matrixType),
      element_(f.context.elementOf(matrixType)),
      item_(itemType(f.context.types, element_, shape.item)),
      columnMajor_(columnMajor),
      shape_(shape) {}

Id StagedElements::itemType(TypeTable& types, Id element, uint32_t item) {
    if (item == 1) return element;
    return item == 2 ? types.uint32() : types.vectorType(types.uint32(), item / 2);
}

void StagedElements::writeAll(Id value) {
    const Id zero = emit_.constant(0);
    Operands operands = {idOperand(at({zero, zero}, 0)), idOperand(value)};
    append(operands, access());
    emit_.opVoid(OpCooperativeMatrixStoreKHR, std::move(operands));
    barrier();
}

void StagedElements::readAll(Id result) {
    barrier();
    const Id zero = emit_.constant(0);
    Operands operands = {idOperand(at({zero, zero}, 0))};
    append(operands, access());
    emit_.op(OpCooperativeMatrixLoadKHR, type_, std::move(operands), result);
    barrier();
}

void StagedElements::eachUnit(const std::function<void(const Unit&)>& visit) {
    const uint32_t perLine = shape_.length / shape_.unit, units = shape_.lines * perLine;
    // Neighbouring invocations access the same place of neighbouring lines (see byUnits()).
    const uint32_t beside = shape_.lines % kLinesAtOnce == 0 ? kLinesAtOnce : 1;
    const uint32_t lanes = f_.context.target.subgroupSize;
    for (uint32_t first = 0; first < units; first += lanes) {
        const Id unit = emit_.plus(f_.writer.lane(), first);
        const Condition inside =
            first + lanes <= units
                ? Condition::always()
                : Condition(emit_.compare(OpULessThan, unit, emit_.constant(units)));
        f_.writer.when(inside, [&] {
            const Id block = emit_.times(emit_.over(unit, beside * perLine), beside);
            visit({emit_.addU32(block, emit_.modulo(unit, beside)),
                   emit_.modulo(emit_.over(unit, beside), perLine)});
        });
    }
}

void StagedElements::write(const Unit& unit, std::span<const Slot> elements) {
    const Operands memory = nonPrivateAccess(f_.context.module);
    for (uint32_t i = 0; i * shape_.item < shape_.unit; ++i) {
        const std::span<const Slot> part = elements.subspan(size_t{i} * shape_.item, shape_.item);
        Id value = 0;
        if (shape_.item == 1) {
            value = scalarOf(emit_, element_, part[0]);
        } else {
            const Id u32 = emit_.types().uint32();
            value = gather(emit_, u32, regroup(emit_, part, element_, u32));
        }
        emit_.store(at(unit, i), value, memory);
    }
}

std::vector<Slot> StagedElements::read(const Unit& unit) {
    const Operands memory = nonPrivateAccess(f_.context.module);
    std::vector<Id> items;
    for (uint32_t i = 0; i * shape_.item < shape_.unit; ++i) {
        items.push_back(emit_.load(item_, at(unit, i), memory));
    }
    return regroup(emit_, slotsOf(emit_, items), emit_.types().scalarOf(item_), element_);
}

void StagedElements::barrier() { sharedBarrier(emit_, spv::Scope::Subgroup); }

Id StagedElements::at(const Unit& unit, uint32_t item) {
    const Id place = emit_.times(unit.place, shape_.unit / shape_.item);
    const Id start = emit_.addU32(emit_.times(unit.line, shape_.stride), place);
    return f_.context.staging.at(f_.writer, item_, emit_.plus(start, item));
}

Operands StagedElements::access() {
    Operands operands = {idOperand(emit_.constant(columnMajor_ ? 1 : 0)),
                         idOperand(emit_.constant(shape_.stride))};
    append(operands, nonPrivateAccess(f_.context.module));
    return operands;
}

std::vector<RetypedArray> arraysForHalves(HalvesContext& context) {
    const auto isWanted = [&](Id matrix) { return context.format(matrix) != 0; };
    std::vector<RetypedArray> found;
    for (StagingArray& array : stagingArrays(context.types, Users(context.module), isWanted)) {
        const Id format = context.format(*array.matrices.begin());
        const auto isSame = [&](Id matrix) { return context.format(matrix) == format; };
        if (!std::ranges::all_of(array.matrices, isSame)) continue;
        found.push_back(withHalves(context.types, std::move(array), format));
    }
    return found;
}

}  // namespace coopvk::rewrite
