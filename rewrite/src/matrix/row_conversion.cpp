// SPDX-License-Identifier: Apache-2.0
//
// SPV_QCOM_cooperative_matrix_conversion: converts between matrices and arrays of the invocations.
#include <algorithm>

#include "lowering/context.hpp"
#include "lowering/number.hpp"
#include "lowering/words.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

namespace {

// The lines of a matrix: each is the array of one invocation.
struct MatrixLines {
    bool areColumns = false;  // rows, or the columns of B
    uint32_t count = 0;
    uint32_t length = 0;
};

// Elements from one line to the next: odd, so that lanes access different banks of shared memory.
uint32_t strideOf(const MatrixLines& lines) { return lines.length | 1u; }

// Converts through shared memory, on processors on which shuffles of many elements cost too much.
class LineMemory : private MatrixCode {
 public:
    LineMemory(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix,
               const MatrixLines& lines, const SubgroupArea& area)
        : MatrixCode(context, writer),
          matrix_(matrix),
          lines_(lines),
          area_(emit_, area),
          first_(emit_.times(readSubgroup(emit_), context.target.subgroupSize)) {}

    // Defines `result` as the matrix of the lanes' lines.
    void construct(std::span<const Slot> line, Id result) {
        const Id begin = start(writer_.lane());
        for (uint32_t x = 0; x < lines_.length; ++x) {
            area_.store(emit_.plus(begin, x), scalarOf(emit_, matrix_.component, line[x]));
        }
        area_.barrier();
        HeldElements held(matrix_);
        elements().load(matrix_, held, along());
        area_.barrier();
        held.construct(matrix_, emit_, result);
    }

    // This lane's line of a matrix; lanes beyond the last line get any line.
    std::vector<Slot> extract(Id value) {
        HeldElements held(matrix_, emit_, value);
        elements().store(matrix_, held, along());
        area_.barrier();
        const Id begin = start(emit_.modulo(writer_.lane(), lines_.count));
        std::vector<Slot> elements;
        for (uint32_t x = 0; x < lines_.length; ++x)
            elements.push_back({area_.load(emit_.plus(begin, x)), 0});
        area_.barrier();
        return elements;
    }

 private:
    // Where a line begins (u32).
    Id start(Id line) { return emit_.times(emit_.addU32(first_, line), strideOf(lines_)); }
    Dimension along() const { return lines_.areColumns ? Dimension::kRows : Dimension::kColumns; }
    MatrixInArea elements() {
        return {context_, writer_, area_, start(emit_.constant(0)), strideOf(lines_)};
    }

    const MatrixType& matrix_;
    const MatrixLines& lines_;
    AreaAccess area_;
    const Id first_;  // the number of the subgroup's first line
};

// Where this is faster than shuffles, and there is enough shared memory; else nullopt. A shuffle
// from a lane whose number differs between lanes is many instructions, or a loop, where subgroups
// are wide or have scalar registers.
std::optional<SubgroupArea> lineArea(MatrixContext& context, const MatrixLines& lines,
                                     Id component) {
    const DevicePlan& device = context.target.device;
    if (!device.hasSlowShuffles || lines.length <= device.maxShuffledLine) return std::nullopt;
    return subgroupArea(context, "coopvk_lines", component,
                        uint64_t{context.target.subgroupSize} * strideOf(lines));
}

// The components in packs of 32 bits, since each pack takes one shuffle.
std::vector<Slot> packed(Emitter& emit, Id component, std::vector<Slot> slots) {
    const uint32_t parts = 32 / std::min(32u, emit.types().width(component));
    for (size_t first = 0; first + parts <= slots.size(); first += parts) {
        const Id pack = gather(emit, component, std::span(slots).subspan(first, parts));
        for (uint32_t i = 0; i < parts && parts > 1; ++i) slots[first + i] = {pack, i};
    }
    return slots;
}

// The lines of the matrix; nullopt, with an error, unless there are at most as many as lanes, and
// each is as large as the array.
std::optional<MatrixLines> matchLines(MatrixContext& context, const Instruction& at,
                                      const MatrixType* matrix, const NumberArray& array) {
    if (matrix == nullptr || array.element == 0) {
        context.invalid(at, "converts between a cooperative matrix and an array of scalars");
        return std::nullopt;
    }
    if (!requireDefaultEncoding(context, at, matrix->format)) return std::nullopt;
    const bool areColumns = matrix->use == Use::kB;
    const MatrixLines lines{areColumns, areColumns ? matrix->columns : matrix->rows,
                            areColumns ? matrix->rows : matrix->columns};
    const TypeTable& types = context.types;
    const bool packedWords = types.isInteger(array.element) && types.width(array.element) == 32;
    const uint32_t bits = matrix->number->bits;
    if ((array.element != matrix->format || matrix->hasFourBits()) && !packedWords) {
        context.invalid(at, "the array has neither the matrix's components nor 32-bit integers");
    } else if (uint64_t{array.length} * types.width(array.element) !=
               uint64_t{lines.length} * bits) {
        context.invalid(
            at, std::format("an array of {} x {} bits is no line of {} x {} bits", array.length,
                            types.width(array.element), lines.length, bits));
    } else if (lines.count > context.target.subgroupSize) {
        context.unsupported(at, std::format("a matrix of {} lines in a subgroup of {}", lines.count,
                                            context.target.subgroupSize));
    } else if (requireShuffles(context, at)) {
        return lines;
    }
    return std::nullopt;
}

void constructArray(Emitter& emit, const NumberArray& array, std::span<const Slot> slots,
                    const MatrixType& matrix, Id result) {
    const std::vector<Slot> cells =
        packComponents(emit, *matrix.number, slots, matrix.component, array.element);
    emit.construct(array.type, scalarsOf(emit, array.element, cells), result);
}

}  // namespace

void lowerConstructFromRows(MatrixContext& context, MatrixWriter& writer,
                            const Instruction& construct) {
    const MatrixType* matrix = context.matrix(construct.type);
    const NumberArray array = numberArray(context, context.module.def(construct.word(0)).type);
    const std::optional<MatrixLines> lines = matchLines(context, construct, matrix, array);
    if (!lines) return;
    Emitter& emit = writer.emit();
    const std::vector<Slot> cells = slotsOf(emit, emit.parts(construct.word(0)));
    const std::vector<Slot> elements =
        unpackComponents(emit, *matrix->number, cells, array.element, matrix->component);
    if (const auto area = lineArea(context, *lines, matrix->component)) {
        return LineMemory(context, writer, *matrix, *lines, *area)
            .construct(elements, construct.result);
    }
    const std::vector<Slot> line = packed(emit, matrix->component, elements);

    // Each lane gets the lines of which it holds elements, then keeps only these elements.
    SubgroupExchange exchange(context, writer, *matrix);
    const Dimension d = lines->areColumns ? Dimension::kColumns : Dimension::kRows;
    const Axis& along = matrix->fragment.axis(other(d));
    HeldElements held = HeldElements(*matrix).emptyWith(other(d), wholeAxis(along.size));
    const Axis& across = held.axis(d);
    const Id start = emit.times(exchange.laneOn(d, across), across.block);
    for (uint32_t local = 0; local < across.count(); ++local) {
        const Id lane = emit.plus(start, across.base(local));
        for (uint32_t x = 0; x < lines->length; ++x) {
            held.at(d, local, x) = exchange.fromLane(line[x], lane);
        }
    }
    held = exchange.distributeAxis(held, other(d), along);
    held.construct(*matrix, emit, construct.result);
}

void lowerExtractRows(MatrixContext& context, MatrixWriter& writer, const Instruction& extract) {
    const MatrixType* matrix = context.matrixOfValue(extract.word(0));
    const NumberArray array = numberArray(context, extract.type);
    const std::optional<MatrixLines> lines = matchLines(context, extract, matrix, array);
    if (!lines) return;
    Emitter& emit = writer.emit();
    if (const auto area = lineArea(context, *lines, matrix->component)) {
        const std::vector<Slot> line =
            LineMemory(context, writer, *matrix, *lines, *area).extract(extract.word(0));
        return constructArray(emit, array, line, *matrix, extract.result);
    }
    SubgroupExchange exchange(context, writer, *matrix);
    HeldElements held(*matrix, emit, extract.word(0));
    const Dimension d = lines->areColumns ? Dimension::kColumns : Dimension::kRows;
    const Axis& across = held.axis(d);
    const Axis& along = held.axis(other(d));

    // Axis::laneOf and localOf of the lane's line. Lanes beyond the last line read any line.
    const Id line = emit.modulo(writer.lane(), across.size);
    const Id from = emit.modulo(emit.over(line, across.block), across.lanes);
    const Id block = emit.over(line, across.lanes * across.block);
    const Id local = emit.addU32(emit.times(block, across.block), emit.modulo(line, across.block));
    std::map<uint32_t, Id> lanes;
    std::vector<Slot> elements;
    for (uint32_t x = 0; x < lines->length; ++x) {
        Id& lane = lanes[along.laneOf(x)];
        if (lane == 0) lane = exchange.laneAt(d, from, emit.constant(along.laneOf(x)));
        std::vector<Slot> candidates;
        for (uint32_t l = 0; l < across.count(); ++l) {
            candidates.push_back(exchange.fromLane(held.at(d, l, along.localOf(x)), lane));
        }
        elements.push_back(exchange.pick(candidates, local));
    }
    constructArray(emit, array, elements, *matrix, extract.result);
}

}  // namespace coopvk::rewrite
