// SPDX-License-Identifier: Apache-2.0
#include "matrix/memory_access.hpp"

#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

// Loads and stores alone need no arithmetic of the pointee's type, but bit casts to other types do.
void declareCasts(MatrixContext& context, const MatrixType& matrix, Id scalar) {
    TypeTable& types = context.types;
    const auto declare = [&](Id type) {
        const Number* number = numberOf(types, type);
        // Half floats that the device lacks become integers (numbers/lower.hpp).
        if (number == nullptr || number->isHalf() || number->isSupportedBy(context.target.device)) {
            types.declareArithmetic(type);
        }
    };
    if (scalar == matrix.component || types.encoding(scalar)) return;
    declare(scalar);
    if (matrix.hasFourBits()) declare(types.intType(types.width(scalar), false));
}

}  // namespace

MatrixMemory::MatrixMemory(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                           const MatrixType& matrix, Id pointer, std::span<const Operand> operands)
    : MatrixMemory(context, writer, at, matrix,
                   // At scope Workgroup an invocation stores four neighbours, of 32 bits at least.
                   ElementPointer(context, writer.emit(), pointer, at, matrix.format,
                                  matrix.fragment.scope == LaneScope::kWorkgroup ? 4 : 8),
                   operands) {}

MatrixMemory::MatrixMemory(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                           const MatrixType& matrix, ElementPointer pointer,
                           std::span<const Operand> operands)
    : MatrixCode(context, writer),
      matrix_(matrix),
      pointer_(std::move(pointer)),
      componentBits_(matrix.number->bits) {
    if (!pointer_.valid()) return;
    declareCasts(context, matrix, memoryScalar());
    const std::optional<uint64_t> layout =
        operands.empty() ? std::nullopt : context.module.constantValue(operands[0].word);
    if (!layout || *layout > 1) {
        context.unsupported(at, "MemoryLayout is not row major or column major");
        return;
    }
    rowMajor_ = *layout == 0;
    if (operands.size() < 2 || !operands[1].isId) {
        context.invalid(at, "row and column major layouts need a Stride");
        return;
    }
    if (!context.types.isInteger(context.module.def(operands[1].word).type)) {
        context.invalid(at, "Stride must be an integer scalar");
        return;
    }
    memory_ = MemoryOperands(operands.subspan(2));
    if (pointer_.alignment() != 0) memory_ = memory_.withAlignment(pointer_.alignment());
    stride_ = pointer_.stride(emit_, operands[1].word);
    if (context.slices.depths.contains(matrix.id)) slice_ = sliceStart();
    valid_ = true;
}

// A slice is a part of each line, or consists of whole lines. It consists of whole lines for A in
// column major order and for B in row major order.
Id MatrixMemory::sliceStart() {
    TypeTable& types = context_.types;
    const uint32_t depth = context_.slices.depths.at(matrix_.id);
    const Id number = emit_.load(types.uint32(), context_.slices.number);
    const bool acrossLines = rowMajor_ == (matrix_.use == Use::kB);
    const uint32_t bits = memoryBits() * pointer_.components();
    const uint32_t step = acrossLines ? depth : depth * componentBits_ / bits;
    const Id index = pointer_.asIndex(emit_, emit_.times(number, step));
    return acrossLines ? emit_.mulInt(pointer_.indexType(), index, stride_) : index;
}

bool MatrixMemory::isDirect() const {
    return inner().neighbours() * componentBits_ % memoryBits() == 0;
}

LinePosition MatrixMemory::runPosition(uint32_t local) {
    LinePosition position;
    position.constant = inner().base(local) * componentBits_ / memoryBits();
    if (inner().lanes == 1) return position;
    position.laneFactor = inner().block * componentBits_ / memoryBits();
    const Id lane = writer_.laneOn(matrix_, other(outerDimension()));
    position.lane = emit_.times(lane, position.laneFactor);
    return position;
}

Id MatrixMemory::innerIndex(uint32_t local) {
    const Dimension d = other(outerDimension());
    return indexOn(emit_, inner(), inner().lanes == 1 ? 0 : writer_.laneOn(matrix_, d), local);
}

Id MatrixMemory::start() {
    const Id origin = pointer_.origin();
    return slice_ ? emit_.addInt(pointer_.indexType(), origin, *slice_) : origin;
}

Id MatrixMemory::lineIndexOf(Id outerLocal) {
    const Id type = pointer_.indexType();
    const Id lane = outer().lanes == 1 ? 0 : writer_.laneOn(matrix_, outerDimension());
    const Id line = pointer_.asIndex(emit_, indexOfValue(emit_, outer(), lane, outerLocal));
    return emit_.addInt(type, start(), emit_.mulInt(type, line, stride_));
}

Id MatrixMemory::lineIndex(uint32_t outerLocal) {
    TypeTable& types = context_.types;
    const Id type = pointer_.indexType();
    if (!firstLine_) {
        firstLine_ = start();
        if (outer().lanes != 1) {
            const Id line = emit_.times(writer_.laneOn(matrix_, outerDimension()), outer().block);
            const Id offset = emit_.mulInt(type, pointer_.asIndex(emit_, line), stride_);
            firstLine_ = emit_.addInt(type, *firstLine_, offset);
        }
    }
    const auto [entry, isNew] = lines_.try_emplace(outerLocal, 0);
    if (isNew) {
        const Id line = types.constant(type, outer().base(outerLocal));
        entry->second = emit_.addInt(type, *firstLine_, emit_.mulInt(type, line, stride_));
    }
    return entry->second;
}

Id MatrixMemory::pointeeIndex(Id line, uint32_t constant, std::optional<Id> dynamic) {
    const Id type = pointer_.indexType();
    Id index = line;
    if (dynamic) index = emit_.addInt(type, index, pointer_.asIndex(emit_, *dynamic));
    return emit_.addInt(type, index, context_.types.constant(type, constant));
}

MatrixMemory::Piece MatrixMemory::piece(Id line, LinePosition position, uint32_t left) {
    const uint32_t n = pointer_.components();
    if (n == 1) {
        return {pointer_.at(emit_, pointeeIndex(line, position.constant, position.lane)), true};
    }
    if (!position.lane || position.laneFactor % n == 0) {
        std::optional<Id> lane;
        if (position.lane) lane = emit_.over(*position.lane, n);
        const Id index = pointeeIndex(line, position.constant / n, lane);
        const uint32_t component = position.constant % n;
        if (component == 0 && left >= n) return {pointer_.at(emit_, index), true};
        return {pointer_.at(emit_, index, emit_.constant(component)), false};
    }
    const Id scalar = emit_.plus(*position.lane, position.constant);
    const Id index = pointeeIndex(line, 0, emit_.over(scalar, n));
    return {pointer_.at(emit_, index, emit_.modulo(scalar, n)), false};
}

std::vector<Slot> MatrixMemory::loadLine(Id line, LinePosition position, uint32_t count) {
    std::vector<Slot> out;
    for (uint32_t done = 0; done < count;) {
        const Piece from = piece(line, position, count - done);
        const Id type = from.whole ? pointer_.pointee() : pointer_.scalar();
        const uint32_t step = from.whole ? pointer_.components() : 1;
        const Id value = emit_.load(type, from.pointer, memory_.forLoad(step * memoryBytes()));
        const std::vector<Slot> slots = slotsOf(emit_, {&value, 1});
        out.insert(out.end(), slots.begin(), slots.end());
        done += step;
        position.constant += step;
    }
    return out;
}

void MatrixMemory::store(uint32_t outerLocal, LinePosition position, std::span<const Slot> slots) {
    while (!slots.empty()) {
        const auto left = static_cast<uint32_t>(slots.size());
        const Piece to = piece(lineIndex(outerLocal), position, left);
        const uint32_t step = to.whole ? pointer_.components() : 1;
        const Id value = gather(emit_, pointer_.scalar(), slots.first(step));
        emit_.store(to.pointer, value, memory_.forStore(step * memoryBytes()));
        slots = slots.subspan(step);
        position.constant += step;
    }
}

}  // namespace coopvk::rewrite
