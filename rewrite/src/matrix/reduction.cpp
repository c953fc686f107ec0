// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixReduceNV.
#include <algorithm>

#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kRow = static_cast<uint32_t>(spv::CooperativeMatrixReduceMask::Row);
constexpr auto kColumn = static_cast<uint32_t>(spv::CooperativeMatrixReduceMask::Column);
constexpr auto k2x2 =
    static_cast<uint32_t>(spv::CooperativeMatrixReduceMask::CooperativeMatrixReduce2x2);

struct Reduction {
    const Instruction& at;
    const MatrixType* from = nullptr;
    const MatrixType* to = nullptr;
    uint32_t mode = 0;
    Id combine = 0;

    bool ofWorkgroup() const { return from->fragment.scope == LaneScope::kWorkgroup; }
    // CombineFunc of both; `b` without a total so far.
    Id combined(Emitter& emit, std::optional<Id> total, Id b) const {
        return total ? emit.call(from->component, combine, std::array{*total, b}) : b;
    }
};

// What SPV_NV_cooperative_matrix2 does not allow of the instruction; empty: it is valid.
std::string_view problem(const MatrixContext& context, const Reduction& r) {
    if (r.from == nullptr || r.to == nullptr || r.from->use != Use::kAccumulator ||
        r.to->use != Use::kAccumulator || r.from->component != r.to->component ||
        r.from->fragment.scope != r.to->fragment.scope) {
        return "Matrix and Result Type are not accumulators of one scope and component type";
    }
    const bool halves = r.mode == k2x2;
    if (!halves && (r.mode == 0 || (r.mode & ~(kRow | kColumn)) != 0)) {
        return "Reduce is not Row, Column, both of these, or 2x2";
    }
    if ((halves && (r.from->rows != 2 * r.to->rows || r.from->columns != 2 * r.to->columns)) ||
        (r.mode == kRow && r.from->rows != r.to->rows) ||
        (r.mode == kColumn && r.from->columns != r.to->columns)) {
        return "the size of Result Type does not fit Matrix and Reduce";
    }
    const Instruction& function = context.module.def(r.combine);
    const Instruction& type = context.module.def(function.word(1));
    const Id component = r.from->component;
    if (function.opcode != OpFunction || type.operands.size() != 3 ||
        !std::ranges::all_of(type.operands,
                             [&](const Operand& o) { return o.word == component; })) {
        return "CombineFunc is not a function of two components that returns one";
    }
    return {};
}

// Reduces rows, columns, or the whole matrix. Each total is then in every lane that holds elements
// of its row or column.
class LineReduction : private MatrixCode {
 public:
    LineReduction(MatrixContext& context, MatrixWriter& writer, const Reduction& reduction)
        : MatrixCode(context, writer),
          r_(reduction),
          elements_(*r_.from, emit_, r_.at.word(0)),
          exchange_(context, writer, *r_.from) {}

    void run() {
        std::vector<Id> totals =
            linesOf(r_.mode == kColumn ? Dimension::kRows : Dimension::kColumns);
        if (r_.mode == (kRow | kColumn)) totals = {acrossAll(totals)};
        HeldElements result(*r_.to);
        result.each([&](uint32_t row, uint32_t column, Slot& slot) {
            slot = {totals[r_.mode == kRow ? row : r_.mode == kColumn ? column : 0], 0};
        });
        result.construct(*r_.to, emit_, r_.at.result);
    }

 private:
    const Axis& axis(Dimension d) const { return r_.from->fragment.axis(d); }

    // Totals along dimension d, by local index on the other one.
    std::vector<Id> linesOf(Dimension d) {
        std::vector<Id> totals;
        for (uint32_t line = 0; line < axis(other(d)).count(); ++line) {
            std::optional<Id> total;
            for (uint32_t i = 0; i < axis(d).count(); ++i) {
                const bool along = d == Dimension::kRows;
                const Id value =
                    elements_.scalar(emit_, *r_.from, along ? i : line, along ? line : i);
                total = r_.combined(emit_, total, value);
            }
            totals.push_back(*total);
        }
        return acrossLanes(std::move(totals), d);
    }

    // The total of all rows' totals.
    Id acrossAll(const std::vector<Id>& rows) {
        std::optional<Id> total;
        for (const Id row : rows) total = r_.combined(emit_, total, row);
        return acrossLanes({*total}, Dimension::kRows)[0];
    }

    std::vector<Id> acrossLanes(std::vector<Id> totals, Dimension d) {
        if (axis(d).lanes == 1) return totals;
        const uint32_t inSubgroup = lanesInSubgroup(d);
        if (inSubgroup > 1) totals = throughShuffles(std::move(totals), d, inSubgroup);
        return inSubgroup == axis(d).lanes ? totals : throughMemory(totals, d, inSubgroup);
    }

    // The grid of a subgroup's lanes.
    const Grid& subgroup() const {
        return r_.ofWorkgroup() ? context_.policy.cell : context_.policy.grid;
    }

    // How many of the axis's lanes are in one subgroup.
    uint32_t lanesInSubgroup(Dimension d) const {
        if (r_.ofWorkgroup() && !context_.cellsAreSubgroups) return 1;
        const uint32_t lanes = d == Dimension::kRows ? subgroup().rows : subgroup().columns;
        return std::min(axis(d).lanes, lanes);
    }

    // Each lane combines its totals with those of the lane at distance 1, then 2, then 4, ...
    std::vector<Id> throughShuffles(std::vector<Id> totals, Dimension d, uint32_t lanes) {
        if (!requireShuffles(context_, r_.at)) return totals;
        const uint32_t step = d == Dimension::kColumns ? 1 : subgroup().columns;
        for (uint32_t distance = 1; distance < lanes; distance *= 2) {
            for (Id& total : totals) {
                const Slot there = exchange_.fromLaneXor({total, 0}, distance * step);
                total = r_.combined(emit_, total, scalarOf(emit_, r_.from->component, there));
            }
        }
        return totals;
    }

    // Every lane, or one of each `together` that have the same totals, writes its totals, and reads
    // those of the lanes that hold the same rows or columns.
    std::vector<Id> throughMemory(const std::vector<Id>& totals, Dimension d, uint32_t together) {
        const uint32_t lanes = axis(d).lanes / together;
        const uint32_t perTotal = lanes * axis(other(d)).lanes;
        const uint32_t words = workgroupWords(context_, r_.at, perTotal);
        if (words == 0) return totals;
        const uint32_t atOnce =
            std::min<uint32_t>(words / perTotal, static_cast<uint32_t>(totals.size()));
        const Id along = writer_.laneOn(*r_.from, d);
        const Id line = writer_.laneOn(*r_.from, other(d));
        const Id first = emit_.times(line, lanes);
        const Id place = emit_.addU32(first, emit_.over(along, together));
        Condition writes = writer_.isNoDuplicate(*r_.from);
        if (together > 1) {
            const Id inGroup = emit_.modulo(along, together);
            const Condition isFirst = emit_.compare(OpIEqual, inGroup, emit_.constant(0));
            writes = emit_.both(writes, isFirst);
        }
        WorkgroupMemory memory(context_, emit_);
        memory.use(atOnce * perTotal);
        std::vector<Id> result;
        for (size_t start = 0; start < totals.size(); start += atOnce) {
            const size_t end = std::min(start + atOnce, totals.size());
            const auto offset = [&](size_t t) {
                return static_cast<uint32_t>(t - start) * perTotal;
            };
            memory.barrier();
            writer_.when(writes, [&] {
                for (size_t t = start; t < end; ++t) {
                    memory.store(place, offset(t), wordOf(emit_, *r_.from, {totals[t], 0}));
                }
            });
            memory.barrier();
            for (size_t t = start; t < end; ++t) {
                std::optional<Id> total;
                for (uint32_t lane = 0; lane < lanes; ++lane) {
                    const Id word = memory.load(first, offset(t) + lane);
                    total = r_.combined(emit_, total, componentOf(emit_, *r_.from, word));
                }
                result.push_back(*total);
            }
        }
        return result;
    }

    const Reduction& r_;
    HeldElements elements_;
    SubgroupExchange exchange_;
};

// A neighbourhood of 2 x 2 elements, which the lane holds.
Slot reducedAt(Emitter& emit, const Reduction& r, const MatrixType& type, HeldElements& elements,
               uint32_t row, uint32_t column) {
    std::optional<Id> total;
    for (const uint32_t n : {0u, 1u, 2u, 3u}) {
        const Id value = elements.scalar(emit, type, 2 * row + n % 2, 2 * column + n / 2);
        total = r.combined(emit, total, value);
    }
    return {*total, 0};
}

// Takes the elements of neighbourhoods from shared memory, in loops: the shortest code.
class ReductionInMemory : private MatrixCode {
 public:
    // In as few turns as there is room for; false: there is none.
    static bool run(MatrixContext& context, MatrixWriter& writer, const Reduction& r) {
        const auto rowsIn = [&](uint32_t turns) { return divideUp(r.to->rows, turns); };
        const auto area = areaInParts(context, r.from->component, r.to->rows, [&](uint32_t turns) {
            return uint64_t{2} * rowsIn(turns) * r.from->columns;
        });
        if (!area) return false;
        ReductionInMemory(context, writer, r, area->area, rowsIn(area->parts)).run(area->parts);
        return true;
    }

 private:
    ReductionInMemory(MatrixContext& context, MatrixWriter& writer, const Reduction& r,
                      const SubgroupArea& area, uint32_t rows)
        : MatrixCode(context, writer),
          r_(r),
          rows_(rows),
          area_(emit_, area),
          first_(emit_.times(readSubgroup(emit_), area.elements)) {}

    void run(uint32_t turns) {
        ElementArray from(context_, writer_, *r_.from), to(context_, writer_, *r_.to);
        from.fill(r_.at.word(0));
        repeat(turns, [&](Id turn) {
            const Id begin = emit_.times(turn, rows_);
            writer_.when(writer_.isNoDuplicate(*r_.from), [&] { store(from, begin); });
            area_.barrier();
            combine(to, begin);
            area_.barrier();
        });
        to.whole(r_.at.result);
    }

    void repeat(uint32_t count, const std::function<void(Id)>& body) {
        count == 1 ? body(emit_.constant(0)) : writer_.loop(count, body);
    }

    // visit(row, column, number) for each element that a lane holds of `height` rows from `begin`
    // on. The row counts from there.
    void each(const MatrixType& matrix, Id begin, uint32_t height,
              const std::function<void(Id row, Id column, Id number)>& visit) {
        const Fragment& f = matrix.fragment;
        repeat(f.rows.count(), [&](Id local) {
            const Id lane = writer_.laneOn(matrix, Dimension::kRows);
            const Id row = emit_.op(OpISub, types_.uint32(),
                                    {indexOfValue(emit_, f.rows, lane, local), begin});
            const Condition isIn = emit_.compare(OpULessThan, row, emit_.constant(height));
            writer_.when(height == matrix.rows ? Condition::always() : isIn, [&] {
                repeat(f.columns.count(), [&](Id inRow) {
                    const Id across = writer_.laneOn(matrix, Dimension::kColumns);
                    const Id first = emit_.times(local, f.columns.count());
                    visit(row, indexOfValue(emit_, f.columns, across, inRow),
                          emit_.addU32(first, inRow));
                });
            });
        });
    }

    Id at(Id place) { return emit_.addU32(first_, place); }

    void store(ElementArray& from, Id begin) {
        each(*r_.from, emit_.times(begin, 2), 2 * rows_, [&](Id row, Id column, Id number) {
            const Id place = emit_.addU32(emit_.times(row, r_.from->columns), column);
            area_.store(at(place), from.load(number));
        });
    }

    void combine(ElementArray& to, Id begin) {
        const uint32_t width = r_.from->columns;
        each(*r_.to, begin, rows_, [&](Id row, Id column, Id number) {
            const Id place = emit_.addU32(emit_.times(row, 2 * width), emit_.times(column, 2));
            std::optional<Id> total;
            for (const uint32_t n : {0u, width, 1u, width + 1})
                total = r_.combined(emit_, total, area_.load(at(emit_.plus(place, n))));
            to.store(number, *total);
        });
    }

    const Reduction& r_;
    const uint32_t rows_;  // of the result, in a turn
    AreaAccess area_;
    const Id first_;
};

// Each lane gets the neighbourhoods of which it has the results.
void reduce2x2InSubgroup(MatrixContext& context, MatrixWriter& writer, const Reduction& r) {
    if (context.target.device.prefersShortCode && ReductionInMemory::run(context, writer, r))
        return;
    MatrixType quads = *r.to;
    for (Axis* axis : {&quads.fragment.rows, &quads.fragment.columns}) {
        axis->size *= 2;
        axis->block *= 2;
    }
    quads.isInWords = false;
    quads.sumForm = SumForm::kClosed;
    describePacks(quads, context.types);
    quads.id = context.types.arrayType(quads.pack, quads.packs());
    Instruction conversion = r.at;
    conversion.result = context.module.takeId();
    convertInSubgroup(context, writer, {*r.from, quads}, conversion);
    if (context.error) return;
    HeldElements held(quads, writer.emit(), conversion.result), result(*r.to);
    result.each([&](uint32_t row, uint32_t column, Slot& slot) {
        slot = reducedAt(writer.emit(), r, quads, held, row, column);
    });
    result.construct(*r.to, writer.emit(), r.at.result);
}

// Each invocation reduces the neighbourhoods in its blocks, which are whole.
void reduce2x2InWorkgroup(MatrixContext& context, MatrixWriter& writer, const Reduction& r) {
    Fragment quarter = r.from->fragment;
    for (Axis* axis : {&quarter.rows, &quarter.columns}) {
        axis->size /= 2;
        axis->block /= 2;
    }
    const auto reduced = [&](Emitter& emit, HeldElements& elements, uint32_t row, uint32_t column) {
        return reducedAt(emit, r, *r.from, elements, row, column);
    };
    lowerWorkgroupExchange(
        context, writer, r.at,
        {.name = "coopvk_reduce_2x2",
         .key = {static_cast<uint32_t>(r.at.opcode), r.from->id, r.to->id, r.combine},
         .from = *r.from,
         .to = *r.to,
         .computed = quarter,
         .element = reduced});
}

}  // namespace

void lowerReduction(MatrixContext& context, MatrixWriter& writer, const Instruction& at) {
    const Reduction r = {at, context.matrixOfValue(at.word(0)), context.matrix(at.type), at.word(1),
                         at.word(2)};
    if (const std::string_view what = problem(context, r); !what.empty()) {
        return context.invalid(at, what);
    }
    if (r.mode != k2x2) return LineReduction(context, writer, r).run();
    return r.ofWorkgroup() ? reduce2x2InWorkgroup(context, writer, r)
                           : reduce2x2InSubgroup(context, writer, r);
}

}  // namespace coopvk::rewrite
