// SPDX-License-Identifier: Apache-2.0
#include "matrix/reduction.hpp"

#include <algorithm>

#include "matrix/exchange.hpp"
#include "matrix/workgroup_exchange.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kRow = static_cast<uint32_t>(spv::CooperativeMatrixReduceMask::Row);
constexpr auto kColumn = static_cast<uint32_t>(spv::CooperativeMatrixReduceMask::Column);
constexpr auto k2x2 =
    static_cast<uint32_t>(spv::CooperativeMatrixReduceMask::CooperativeMatrixReduce2x2);

// An instruction with what it says.
struct Reduction {
    const Instruction& at;
    const MatrixType* from = nullptr;
    const MatrixType* to = nullptr;
    uint32_t mode = 0;
    Id combine = 0;

    bool ofWorkgroup() const { return from->fragment.scope == LaneScope::kWorkgroup; }
    Id combined(Emitter& emit, Id a, Id b) const {
        if (a == 0) return b;
        return emit.call(from->component, combine, std::array{a, b});
    }
};

// What is wrong, or nothing: SPV_NV_cooperative_matrix2, OpCooperativeMatrixReduceNV.
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
    if (function.opcode != spv::Op::OpFunction || type.operands.size() != 3 ||
        !std::ranges::all_of(type.operands,
                             [&](const Operand& o) { return o.word == component; })) {
        return "CombineFunc is no function of two components that returns one";
    }
    return {};
}

// Rows, or columns, or both as a whole: each line's total is in every lane that holds the line.
class LineReduction {
 public:
    LineReduction(MatrixContext& context, MatrixWriter& writer, const Reduction& reduction)
        : context_(context),
          writer_(writer),
          emit_(writer.emit()),
          r_(reduction),
          elements_(*r_.from, emit_, r_.at.word(0)),
          exchange_(context, writer, r_.from->component) {}

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
    const Axis& axis(Dimension d) const {
        const Fragment& f = r_.from->fragment;
        return d == Dimension::kRows ? f.rows : f.columns;
    }

    // Totals along dimension d by local index on the other one.
    std::vector<Id> linesOf(Dimension d) {
        std::vector<Id> totals;
        for (uint32_t line = 0; line < axis(other(d)).count(); ++line) {
            Id total = 0;
            for (uint32_t i = 0; i < axis(d).count(); ++i) {
                const bool along = d == Dimension::kRows;
                const Id value =
                    elements_.scalar(emit_, *r_.from, along ? i : line, along ? line : i);
                total = r_.combined(emit_, total, value);
            }
            totals.push_back(total);
        }
        return acrossLanes(std::move(totals), d);
    }

    // The total of all rows' totals.
    Id acrossAll(const std::vector<Id>& rows) {
        Id total = 0;
        for (const Id row : rows) total = r_.combined(emit_, total, row);
        return acrossLanes({total}, Dimension::kRows)[0];
    }

    std::vector<Id> acrossLanes(std::vector<Id> totals, Dimension d) {
        if (axis(d).lanes == 1) return totals;
        return r_.ofWorkgroup() ? throughMemory(totals, d) : throughShuffles(std::move(totals), d);
    }

    // Each lane combines with the one at distance 1, 2, 4, ...
    std::vector<Id> throughShuffles(std::vector<Id> totals, Dimension d) {
        if (!context_.target.device.subgroupShuffle) {
            context_.fail(ErrorCode::kUnsupported, r_.at, "reduction needs subgroup shuffles");
            return totals;
        }
        const bool alongRows = d == Dimension::kRows;
        const Id own = exchange_.laneOn(d, axis(d));
        const Id line = alongRows ? writer_.gridColumn() : writer_.gridRow();
        for (uint32_t distance = 1; distance < axis(d).lanes; distance *= 2) {
            const Id lane = exchange_.laneAt(d, Bits(emit_).flip(own, distance), line);
            for (Id& total : totals) {
                const Slot there = exchange_.fromLane({total, 0}, lane);
                total = r_.combined(emit_, total, scalarOf(emit_, r_.from->component, there));
            }
        }
        return totals;
    }

    // Every lane writes its totals and reads those of the lanes that share its lines.
    std::vector<Id> throughMemory(const std::vector<Id>& totals, Dimension d) {
        const uint32_t lanes = axis(d).lanes;
        const uint32_t perTotal = lanes * axis(other(d)).lanes;
        const uint32_t words = workgroupWords(context_, r_.at, perTotal);
        if (words == 0) return totals;
        const uint32_t atOnce =
            std::min<uint32_t>(words / perTotal, static_cast<uint32_t>(totals.size()));
        const bool alongRows = d == Dimension::kRows;
        const Id own = alongRows ? writer_.rowLane(*r_.from) : writer_.columnLane(*r_.from);
        const Id line = alongRows ? writer_.columnLane(*r_.from) : writer_.rowLane(*r_.from);
        const Id first = emit_.times(line, lanes);
        const Id place = emit_.addU32(first, own);
        WorkgroupMemory memory(context_, emit_);
        memory.use(atOnce * perTotal);
        std::vector<Id> result;
        for (size_t start = 0; start < totals.size(); start += atOnce) {
            const size_t end = std::min(start + atOnce, totals.size());
            const auto offset = [&](size_t t) {
                return static_cast<uint32_t>(t - start) * perTotal;
            };
            memory.barrier();
            writer_.guarded(writer_.isNoDuplicate(*r_.from), [&] {
                for (size_t t = start; t < end; ++t) {
                    const Id index = emit_.plus(place, offset(t));
                    memory.store(index, wordOf(emit_, *r_.from, {totals[t], 0}));
                }
            });
            memory.barrier();
            for (size_t t = start; t < end; ++t) {
                const Id begin = emit_.plus(first, offset(t));
                Id total = 0;
                for (uint32_t lane = 0; lane < lanes; ++lane) {
                    const Id word = memory.load(emit_.plus(begin, lane));
                    total = r_.combined(emit_, total, componentOf(emit_, *r_.from, word));
                }
                result.push_back(total);
            }
        }
        return result;
    }

    MatrixContext& context_;
    MatrixWriter& writer_;
    Emitter& emit_;
    const Reduction& r_;
    HeldElements elements_;
    Exchange exchange_;
};

// Neighbouring pairs along a dimension that every lane holds whole become one element each.
HeldElements combinePairs(Emitter& emit, const Reduction& r, HeldElements& held, Dimension d) {
    const Axis half = wholeAxis(held.axis(d).size / 2);
    HeldElements pairs =
        d == Dimension::kRows ? HeldElements(half, held.columns) : HeldElements(held.rows, half);
    const auto scalar = [&](const Slot& slot) { return scalarOf(emit, r.from->component, slot); };
    for (uint32_t i = 0; i < half.size; ++i) {
        for (uint32_t o = 0; o < held.axis(other(d)).count(); ++o) {
            pairs.at(d, i, o) = {
                r.combined(emit, scalar(held.at(d, 2 * i, o)), scalar(held.at(d, 2 * i + 1, o))),
                0};
        }
    }
    return pairs;
}

void reduce2x2InSubgroup(MatrixContext& context, MatrixWriter& writer, const Reduction& r) {
    HeldElements held(*r.from, writer.emit(), r.at.word(0));
    Exchange exchange(context, writer, r.from->component);
    if ((held.rows.lanes > 1 || held.columns.lanes > 1) && !context.target.device.subgroupShuffle) {
        context.fail(ErrorCode::kUnsupported, r.at, "reduction needs subgroup shuffles");
        return;
    }
    for (const Dimension d : {Dimension::kRows, Dimension::kColumns}) {
        if (held.axis(d).lanes > 1) held = exchange.gatherAxis(held, d);
        held = combinePairs(writer.emit(), r, held, d);
        const Fragment& f = r.to->fragment;
        const Axis& target = d == Dimension::kRows ? f.rows : f.columns;
        if (target.lanes > 1) held = exchange.dealAxis(held, d, target);
    }
    held.construct(*r.to, writer.emit(), r.at.result);
}

// A function from the matrix to the reduced one: blocks have whole neighbourhoods, which each lane
// combines, and the results travel to their lanes. 0 with an error.
Id reduce2x2InWorkgroup(MatrixContext& context, const Reduction& r) {
    const Id parameters[] = {r.from->id};
    FunctionBuilder function(context.types, context.newFunctions, "coopvk_reduce_2x2", r.to->id,
                             parameters);
    Emitter& emit = function.emit();
    GridPosition position = context.position(emit.out(), LaneScope::kWorkgroup);
    const Fragment& f = r.from->fragment;
    HeldElements elements(*r.from, emit, function.parameter(0));
    // The axes of what each lane has after its blocks shrank to a quarter.
    Fragment quarter = f;
    for (Axis* axis : {&quarter.rows, &quarter.columns}) {
        axis->size /= 2;
        axis->block /= 2;
    }
    const std::vector<Id> places = elementNumbers(emit, position, quarter, r.to->columns, false);
    std::vector<NumberedWord> written;
    for (uint32_t i = 0; i < places.size(); ++i) {
        const uint32_t row = i / quarter.columns.count() * 2;
        const uint32_t column = i % quarter.columns.count() * 2;
        Id total = 0;
        for (const uint32_t n : {0u, 1u, 2u, 3u}) {
            const Id value = elements.scalar(emit, *r.from, row + n % 2, column + n / 2);
            total = r.combined(emit, total, value);
        }
        written.push_back({places[i], wordOf(emit, *r.from, {total, 0})});
    }
    const std::vector<Id> read =
        elementNumbers(emit, position, r.to->fragment, r.to->columns, false);
    const Id writes = position.isNoDuplicate(emit, f.rows.lanes, f.columns.lanes);
    const std::vector<Id> words =
        exchangeWords(context, function, r.at, r.to->rows * r.to->columns, writes, written, read);
    if (words.empty()) return 0;
    HeldElements result(*r.to);
    for (uint32_t i = 0; i < words.size(); ++i) {
        result.slots[i] = {componentOf(emit, *r.to, words[i]), 0};
    }
    return function.finish(result.construct(*r.to, emit));
}

}  // namespace

void lowerReduction(MatrixContext& context, MatrixWriter& writer, const Instruction& at) {
    const Reduction r = {at, context.matrixOfValue(at.word(0)), context.matrix(at.type), at.word(1),
                         at.word(2)};
    if (const std::string_view what = problem(context, r); !what.empty()) {
        context.fail(ErrorCode::kInvalidModule, at, what);
        return;
    }
    if (r.mode != k2x2) return LineReduction(context, writer, r).run();
    if (!r.ofWorkgroup()) return reduce2x2InSubgroup(context, writer, r);
    const std::vector<uint32_t> key = {static_cast<uint32_t>(at.opcode), r.from->id, r.to->id,
                                       r.combine};
    const Id function = context.helper(key, [&] { return reduce2x2InWorkgroup(context, r); });
    if (function == 0) return;
    writer.emit().call(at.type, function, std::array{at.word(0)}, at.result);
}

}  // namespace coopvk::rewrite
