// SPDX-License-Identifier: Apache-2.0
//
// Conversions of accumulators from the layout that products want to that of a GPU, or back, through
// shared memory of the subgroup.
#include <algorithm>

#include "lowering/context.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

namespace {

// How the matrix lies in the area: its lines, one after the other, in units of neighbours that each
// lane has together on both sides.
struct GridLines {
    Dimension along;
    uint32_t together;  // elements of a unit
    uint32_t count, length;

    // In units: odd, so that lanes access different banks of shared memory.
    uint32_t stride() const { return length / together | 1u; }
    uint32_t units() const { return count * stride(); }
};

uint32_t togetherOn(const SubgroupMove& move, Dimension d) {
    constexpr uint32_t kMost = 4;  // components of a vector
    const uint32_t from = powerOfTwoIn(move.from.fragment.axis(d).neighbours());
    const uint32_t to = powerOfTwoIn(move.to.fragment.axis(d).neighbours());
    return std::min({from, to, kMost});
}

GridLines gridLinesOf(const SubgroupMove& move) {
    const uint32_t inRow = togetherOn(move, Dimension::kColumns);
    const uint32_t inColumn = togetherOn(move, Dimension::kRows);
    const Dimension along = inColumn > inRow ? Dimension::kRows : Dimension::kColumns;
    const Fragment& to = move.to.fragment;
    return {along, std::max(inRow, inColumn), to.axis(other(along)).size, to.axis(along).size};
}

class GridChange : private MatrixCode {
 public:
    GridChange(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
               const SubgroupArea& area)
        : MatrixCode(context, writer),
          m_(move),
          lines_(gridLinesOf(move)),
          area_(emit_, area),
          first_(emit_.times(readSubgroup(emit_), area.elements)) {}

    void run(Id value, Id result) {
        HeldElements from(m_.from, emit_, value), to(m_.to);
        const Id source = placeOf(m_.from), target = placeOf(m_.to);
        writer_.when(writer_.isNoDuplicate(m_.from), [&] {
            each(m_.from.fragment, [&](uint32_t along, uint32_t across, uint32_t offset) {
                std::vector<Slot> unit;
                for (uint32_t i = 0; i < lines_.together; ++i)
                    unit.push_back(from.at(lines_.along, along + i, across));
                area_.store(emit_.plus(source, offset), gather(emit_, m_.to.component, unit));
            });
        });
        area_.barrier();
        each(m_.to.fragment, [&](uint32_t along, uint32_t across, uint32_t offset) {
            const Id unit = area_.load(emit_.plus(target, offset));
            for (uint32_t i = 0; i < lines_.together; ++i)
                to.at(lines_.along, along + i, across) = {unit, i};
        });
        area_.barrier();
        to.construct(m_.to, emit_, result);
    }

 private:
    // Where the lane's first unit lies (u32). The places of others differ by constants, which
    // drivers have in addresses.
    Id placeOf(const MatrixType& matrix) {
        const Dimension across = other(lines_.along);
        const Axis& along = matrix.fragment.axis(lines_.along);
        const Id line = emit_.times(writer_.laneOn(matrix, across),
                                    matrix.fragment.axis(across).block * lines_.stride());
        const Id inLine =
            emit_.times(writer_.laneOn(matrix, lines_.along), along.block / lines_.together);
        return emit_.addU32(emit_.addU32(first_, line), inLine);
    }

    // Visits each unit of a lane, by the local indices of its first element.
    template <typename Visit>
    void each(const Fragment& f, Visit visit) {
        const Axis &along = f.axis(lines_.along), &across = f.axis(other(lines_.along));
        for (uint32_t line = 0; line < across.count(); ++line) {
            for (uint32_t i = 0; i < along.count(); i += lines_.together) {
                visit(i, line,
                      across.base(line) * lines_.stride() + along.base(i) / lines_.together);
            }
        }
    }

    const SubgroupMove& m_;
    const GridLines lines_;
    AreaAccess area_;
    const Id first_;  // the number of the subgroup's first unit
};

}  // namespace

bool changeGrid(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move, Id value,
                Id result) {
    constexpr auto kSum = Use::kAccumulator;
    const bool changes = move.from.use == kSum && move.to.use == kSum && !move.transposes &&
                         move.from.fragment.map != move.to.fragment.map;
    if (!changes) return false;
    const GridLines lines = gridLinesOf(move);
    const Id unit = context.types.vectorType(move.to.component, lines.together);
    const auto area = subgroupArea(context, "coopvk_sums", unit, lines.units());
    if (area) GridChange(context, writer, move, *area).run(value, result);
    return area.has_value();
}

}  // namespace coopvk::rewrite
