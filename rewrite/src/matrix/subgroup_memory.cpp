// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMaxParts = 8;

// How a matrix lies in the area: its lines, one after the other. A line goes in the direction in
// which a lane reads the result: of A along a row, of B along a column. There a lane holds whole
// lines, so the matrix may go through the area in parts: first the first half of all lines, then
// the second.
struct MovedLines {
    Dimension along;     // of the result
    Dimension inSource;  // the same dimension of what is moved
    uint32_t count, length;
    uint32_t maxParts;

    uint32_t partLength(uint32_t parts) const { return divideUp(length, parts); }
    // Odd, so that lanes access different banks of shared memory.
    uint32_t stride(uint32_t parts) const { return partLength(parts) | 1u; }
    uint32_t elements(uint32_t parts) const { return count * stride(parts); }
};

MovedLines linesOf(const SubgroupMove& move) {
    const Fragment& to = move.to.fragment;
    const Dimension along = to.rows.lanes == 1 ? Dimension::kRows : Dimension::kColumns;
    return {along, move.transposes ? other(along) : along, to.axis(other(along)).size,
            to.axis(along).size, to.axis(along).lanes == 1 ? kMaxParts : 1};
}

// How a matrix lies in the area of which neighbours are combined: two of its rows for each row of
// the result. Parts are turns of a loop, so there may be many.
struct CombinedRows {
    uint32_t count;  // of the result
    uint32_t width;  // of the matrix
    uint32_t maxParts = count;

    uint32_t partRows(uint32_t parts) const { return divideUp(count, parts); }
    uint32_t elements(uint32_t parts) const { return 2 * partRows(parts) * width; }
};

CombinedRows rowsOf(const MatrixType& to) { return {to.rows, 2 * to.columns}; }

// In how many parts the matrix goes through an area; 0 if it cannot.
template <typename Shape>
uint32_t partsOf(const Shape& shape, uint32_t elements) {
    for (uint32_t parts = 1; parts <= shape.maxParts; ++parts)
        if (shape.elements(parts) <= elements) return parts;
    return 0;
}

constexpr std::string_view kElements = "coopvk_elements";

// The one area for components of a type; nullptr: there is none yet.
const SubgroupArea* areaOf(const MatrixContext& context, Id component) {
    const auto found = context.areas.lower_bound({kElements, component, 0});
    return found != context.areas.end() && std::get<0>(found->first) == kElements &&
                   found->second.element == component
               ? &found->second
               : nullptr;
}

// Whether there is an area; makes one where none is yet: for the whole matrix, or as large parts of
// it as there is room for. Behind the elements there is a slot for each lane, to which it stores
// what is of another part: so all lanes store, without branches.
template <typename Shape>
bool hasArea(MatrixContext& context, const Shape& shape, Id component) {
    const uint32_t slots = context.target.subgroupSize;
    if (const SubgroupArea* area = areaOf(context, component))
        return partsOf(shape, area->elements - slots) != 0;
    for (uint32_t parts = 1; parts <= shape.maxParts; ++parts) {
        if (subgroupArea(context, kElements, component, uint64_t{shape.elements(parts)} + slots))
            return true;
    }
    return false;
}

class AreaCode : protected MatrixCode {
 protected:
    AreaCode(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move)
        : MatrixCode(context, writer),
          m_(move),
          component_(move.to.component),
          elements_(areaOf(context, component_)->elements - context.target.subgroupSize),
          area_(emit_, *areaOf(context, component_)),
          first_(emit_.times(readSubgroup(emit_), areaOf(context, component_)->elements)) {}

    Id at(Id place) { return emit_.addU32(first_, place); }

    const SubgroupMove& m_;
    const Id component_;
    const uint32_t elements_;  // without the slots
    AreaAccess area_;
    const Id first_;
};

class SubgroupMemory : private AreaCode {
 public:
    SubgroupMemory(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move)
        : AreaCode(context, writer, move),
          lines_(linesOf(move)),
          parts_(partsOf(lines_, elements_)) {}

    void run(Id value, Id result) {
        HeldElements from(m_.from, emit_, value);
        HeldElements to(m_.to);
        for (uint32_t part = 0; part < parts_; ++part) {
            const uint32_t length = lines_.partLength(parts_);
            const uint32_t begin = part * length;
            writer_.when(writer_.isNoDuplicate(m_.from), [&] { store(from, begin, length); });
            area_.barrier();
            load(to, begin, length);
            area_.barrier();
        }
        to.construct(m_.to, emit_, result);
    }

 private:
    // What the lane has of elements `begin` to `begin + length - 1` of each line.
    void store(HeldElements& from, uint32_t begin, uint32_t length) {
        const Axis& along = m_.from.fragment.axis(lines_.inSource);
        const Id inLine = emit_.times(writer_.laneOn(m_.from, lines_.inSource), along.block);
        const Id start = startOfLines(m_.from, other(lines_.inSource));
        from.each([&](uint32_t row, uint32_t column, const Slot& slot) {
            const auto [local, line] = split(lines_.inSource, row, column);
            const uint32_t least = along.base(local);
            const uint32_t most = along.index(along.lanes - 1, local);
            if (most < begin || least >= begin + length) return;
            const Id offset = emit_.plus(inLine, least - begin);  // wraps below `begin`
            Id place =
                emit_.addU32(startOfLine(start, m_.from, other(lines_.inSource), line), offset);
            if (least < begin || most >= begin + length) place = inPart(offset, length, place);
            area_.store(at(place), scalarOf(emit_, component_, slot));
        });
    }

    void load(HeldElements& to, uint32_t begin, uint32_t length) {
        const Axis& along = m_.to.fragment.axis(lines_.along);
        const Id inLine = emit_.times(writer_.laneOn(m_.to, lines_.along), along.block);
        const Id start = emit_.addU32(startOfLines(m_.to, other(lines_.along)), inLine);
        to.each([&](uint32_t row, uint32_t column, Slot& slot) {
            const auto [local, line] = split(lines_.along, row, column);
            const uint32_t index = along.base(local) - begin;
            if (parts_ > 1 && index >= length) return;
            const Id place =
                emit_.plus(startOfLine(start, m_.to, other(lines_.along), line), index);
            slot = {area_.load(at(place)), 0};
        });
    }

    // Local indices along a line, and across lines.
    static std::pair<uint32_t, uint32_t> split(Dimension along, uint32_t row, uint32_t column) {
        return along == Dimension::kRows ? std::pair(row, column) : std::pair(column, row);
    }
    // Where the lane's lines start (u32): the first one, and a further one.
    Id startOfLines(const MatrixType& matrix, Dimension across) {
        return emit_.times(writer_.laneOn(matrix, across),
                           matrix.fragment.axis(across).block * lines_.stride(parts_));
    }
    Id startOfLine(Id first, const MatrixType& matrix, Dimension across, uint32_t line) {
        return emit_.plus(first, matrix.fragment.axis(across).base(line) * lines_.stride(parts_));
    }

    // The place, if the element is in the part; else the lane's slot.
    Id inPart(Id offset, uint32_t length, Id place) {
        const Id rest = emit_.plus(writer_.lane(), elements_);
        const Id isIn = emit_.compare(OpULessThan, offset, emit_.constant(length));
        return emit_.select(isIn, place, rest);
    }

    const MovedLines lines_;
    const uint32_t parts_;
};

// Combines neighbourhoods of 2 x 2 elements, all in loops.
class SubgroupCombination : private AreaCode {
 public:
    SubgroupCombination(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                        Id combine)
        : AreaCode(context, writer, move),
          combine_(combine),
          rows_(rowsOf(move.to)),
          parts_(partsOf(rows_, elements_)) {}

    void run(Id value, Id result) {
        ElementArray from(context_, writer_, m_.from), to(context_, writer_, m_.to);
        from.fill(value);
        repeat(parts_, [&](Id part) {
            const Id begin = emit_.times(part, rows_.partRows(parts_));
            writer_.when(writer_.isNoDuplicate(m_.from), [&] { store(from, begin); });
            area_.barrier();
            combine(to, begin);
            area_.barrier();
        });
        to.whole(result);
    }

 private:
    void repeat(uint32_t count, const std::function<void(Id)>& body) {
        count == 1 ? body(emit_.constant(0)) : writer_.loop(count, body);
    }

    // visit(row, column, number) for each element that a lane holds of the `height` rows of a part.
    void each(const MatrixType& matrix, Id begin, uint32_t height,
              const std::function<void(Id row, Id column, Id number)>& visit) {
        const Fragment& f = matrix.fragment;
        repeat(f.rows.count(), [&](Id local) {
            const Id lane = writer_.laneOn(matrix, Dimension::kRows);
            const Id index = indexOfValue(emit_, f.rows, lane, local);
            const Id row = emit_.op(OpISub, types_.uint32(), {index, begin});
            const Condition isIn = emit_.compare(OpULessThan, row, emit_.constant(height));
            writer_.when(parts_ == 1 ? Condition::always() : isIn, [&] {
                repeat(f.columns.count(), [&](Id inRow) {
                    const Id across = writer_.laneOn(matrix, Dimension::kColumns);
                    const Id first = emit_.times(local, f.columns.count());
                    visit(row, indexOfValue(emit_, f.columns, across, inRow),
                          emit_.addU32(first, inRow));
                });
            });
        });
    }

    void store(ElementArray& from, Id begin) {
        each(m_.from, emit_.times(begin, 2), 2 * rows_.partRows(parts_),
             [&](Id row, Id column, Id number) {
                 const Id place = at(emit_.addU32(emit_.times(row, rows_.width), column));
                 area_.store(place, from.load(number));
             });
    }

    void combine(ElementArray& to, Id begin) {
        each(m_.to, begin, rows_.partRows(parts_), [&](Id row, Id column, Id number) {
            const Id start = emit_.times(row, 2 * rows_.width);
            const Id place = emit_.addU32(start, emit_.times(column, 2));
            const auto both = [&](Id a, Id b) {
                return emit_.call(component_, combine_, std::array{a, b});
            };
            Id columns[2];
            for (uint32_t i = 0; i < 2; ++i) {
                const Id above = area_.load(at(emit_.plus(place, i)));
                columns[i] = both(above, area_.load(at(emit_.plus(place, rows_.width + i))));
            }
            to.store(number, both(columns[0], columns[1]));
        });
    }

    const Id combine_;
    const CombinedRows rows_;
    const uint32_t parts_;
};

}  // namespace

bool usesSubgroupMemory(MatrixContext& context, const SubgroupMove& move, uint64_t shuffles) {
    const DevicePlan& device = context.target.device;
    return shuffles > device.maxShuffles &&
           move.to.fragment.length() <= device.maxMovedThroughMemory &&
           hasArea(context, linesOf(move), move.from.component);
}

void moveThroughMemory(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                       Id value, Id result) {
    SubgroupMemory(context, writer, move).run(value, result);
}

bool combinesInMemory(MatrixContext& context, const SubgroupMove& move) {
    return context.target.device.prefersShortCode &&
           hasArea(context, rowsOf(move.to), move.from.component);
}

void combineInMemory(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                     Id combine, Id value, Id result) {
    SubgroupCombination(context, writer, move, combine).run(value, result);
}

// Conversions of accumulators from the layout that products want to that of a GPU, or back, through
// shared memory of the subgroup.

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
