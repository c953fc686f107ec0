// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lowering/context.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

Id MatrixInArea::start(const MatrixType& m, Dimension along) {
    const Id line =
        emit_.times(writer_.laneOn(m, other(along)), m.fragment.axis(other(along)).block * stride_);
    const Id inLine =
        emit_.times(writer_.laneOn(m, along), m.fragment.axis(along).block / together_);
    return emit_.addU32(emit_.addU32(first_, line), inLine);
}

template <typename Visit>
void MatrixInArea::each(const MatrixType& m, Dimension along, LinePart part, Visit visit) {
    const Axis &inLine = m.fragment.axis(along), &across = m.fragment.axis(other(along));
    const Id first = start(m, along);
    for (uint32_t line = 0; line < across.count(); ++line) {
        for (uint32_t i = 0; i < inLine.count(); i += together_) {
            const uint32_t least = inLine.base(i), most = inLine.index(inLine.lanes - 1, i);
            if (most < part.begin || least >= part.end()) continue;
            const uint32_t offset = (least - part.begin) / together_;  // wraps below `begin`
            const Id place = emit_.plus(first, across.base(line) * stride_ + offset);
            visit(i, line,
                  least < part.begin || most >= part.end() ? inPart(m, along, i, part, place)
                                                           : place);
        }
    }
}

// The place, if the element is in the part; else the lane's slot behind the elements.
Id MatrixInArea::inPart(const MatrixType& m, Dimension along, uint32_t local, LinePart part,
                        Id place) {
    const Axis& axis = m.fragment.axis(along);
    const Id offset = emit_.plus(emit_.times(writer_.laneOn(m, along), axis.block),
                                 axis.base(local) - part.begin);
    const Id isIn = emit_.compare(OpULessThan, offset, emit_.constant(part.length));
    const Id slot = emit_.addU32(first_, emit_.plus(writer_.lane(), part.slots));
    return emit_.select(isIn, place, slot);
}

void MatrixInArea::store(const MatrixType& m, HeldElements& from, Dimension along, LinePart part) {
    writer_.when(writer_.isNoDuplicate(m), [&] {
        each(m, along, part, [&](uint32_t i, uint32_t line, Id place) {
            std::vector<Slot> unit;
            for (uint32_t u = 0; u < together_; ++u) unit.push_back(from.at(along, i + u, line));
            area_.store(place, gather(emit_, m.component, unit));
        });
    });
}

void MatrixInArea::load(const MatrixType& m, HeldElements& to, Dimension along, LinePart part) {
    each(m, along, part, [&](uint32_t i, uint32_t line, Id place) {
        const Id unit = area_.load(place);
        for (uint32_t u = 0; u < together_; ++u) to.at(along, i + u, line) = {unit, u};
    });
}

namespace {

constexpr uint32_t kMaxParts = 8;
constexpr std::string_view kElements = "coopvk_elements";

// How a matrix lies in the area: its lines, one after the other. A line goes in the direction in
// which a lane reads the result: of A along a row, of B along a column. There a lane holds whole
// lines, so the matrix may go through the area in parts: first the first half of all lines, then
// the second.
struct MovedLines {
    Dimension along;     // of the result
    Dimension inSource;  // the same dimension of what is moved
    uint32_t count, length;
    uint32_t maxParts = 1;
    uint32_t together = 1;  // neighbours that each lane has together on both sides

    uint32_t partLength(uint32_t parts) const { return divideUp(length, parts); }
    // In units: odd, so that lanes access different banks of shared memory.
    uint32_t stride(uint32_t parts) const { return partLength(parts) / together | 1u; }
    uint32_t units(uint32_t parts) const { return count * stride(parts); }
    // In how many parts the matrix goes through an area; 0 if it cannot.
    uint32_t partsIn(uint32_t elements) const {
        for (uint32_t parts = 1; parts <= maxParts; ++parts)
            if (units(parts) <= elements) return parts;
        return 0;
    }
};

MovedLines linesOf(const SubgroupMove& move) {
    const Fragment& to = move.to.fragment;
    const Dimension along = to.rows.lanes == 1 ? Dimension::kRows : Dimension::kColumns;
    return {along, move.transposes ? other(along) : along, to.axis(other(along)).size,
            to.axis(along).size, to.axis(along).lanes == 1 ? kMaxParts : 1};
}

// The one area for components of a type; nullptr: there is none yet.
const SubgroupArea* areaOf(const MatrixContext& context, Id component) {
    const auto found = context.areas.lower_bound({kElements, component, 0});
    return found != context.areas.end() && std::get<0>(found->first) == kElements &&
                   found->second.element == component
               ? &found->second
               : nullptr;
}

}  // namespace

// Behind the elements there is a slot for each lane, to which it stores what is of another part: so
// all lanes store, without branches.
std::optional<AreaParts> areaInParts(MatrixContext& context, Id component, uint32_t maxParts,
                                     const std::function<uint64_t(uint32_t parts)>& sizeOf) {
    const uint32_t slots = context.target.subgroupSize;
    const SubgroupArea* known = areaOf(context, component);
    for (uint32_t parts = 1; parts <= maxParts; ++parts) {
        const uint64_t size = sizeOf(parts) + slots;
        if (known != nullptr && size <= known->elements) return AreaParts{*known, parts};
        if (known != nullptr) continue;
        if (const auto area = subgroupArea(context, kElements, component, size))
            return AreaParts{*area, parts};
    }
    return std::nullopt;
}

namespace {

bool hasArea(MatrixContext& context, const MovedLines& lines, Id component) {
    return areaInParts(context, component, lines.maxParts,
                       [&](uint32_t parts) { return lines.units(parts); })
        .has_value();
}

// `slots`: the number of the lanes' slots.
void moveThrough(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                 const MovedLines& lines, const SubgroupArea& area, uint32_t slots, Id value,
                 Id result) {
    Emitter& emit = writer.emit();
    const uint32_t parts = lines.maxParts == 1 ? 1 : lines.partsIn(slots);
    AreaAccess access(emit, area);
    MatrixInArea memory(context, writer, access, emit.times(readSubgroup(emit), area.elements),
                        lines.stride(parts), lines.together);
    HeldElements from(move.from, emit, value), to(move.to);
    for (uint32_t part = 0; part < parts; ++part) {
        const uint32_t length = lines.partLength(parts);
        const LinePart some = parts == 1 ? LinePart{} : LinePart{part * length, length, slots};
        memory.store(move.from, from, lines.inSource, some);
        access.barrier();
        memory.load(move.to, to, lines.along, some);
        access.barrier();
    }
    to.construct(move.to, emit, result);
}

}  // namespace

bool usesSubgroupMemory(MatrixContext& context, const SubgroupMove& move, uint64_t shuffles) {
    const DevicePlan& device = context.target.device;
    return shuffles > device.maxShuffles &&
           move.to.fragment.length() <= device.maxMovedThroughMemory &&
           hasArea(context, linesOf(move), move.from.component);
}

void moveThroughMemory(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                       Id value, Id result) {
    const SubgroupArea& area = *areaOf(context, move.to.component);
    moveThrough(context, writer, move, linesOf(move), area,
                area.elements - context.target.subgroupSize, value, result);
}

// Conversions of accumulators from the layout that products want to that of a GPU, or back, through
// shared memory of the subgroup.

namespace {

uint32_t togetherOn(const SubgroupMove& move, Dimension d) {
    constexpr uint32_t kMost = 4;  // components of a vector
    const uint32_t from = powerOfTwoIn(move.from.fragment.axis(d).neighbours());
    const uint32_t to = powerOfTwoIn(move.to.fragment.axis(d).neighbours());
    return std::min({from, to, kMost});
}

MovedLines gridLinesOf(const SubgroupMove& move) {
    const uint32_t inRow = togetherOn(move, Dimension::kColumns);
    const uint32_t inColumn = togetherOn(move, Dimension::kRows);
    const Dimension along = inColumn > inRow ? Dimension::kRows : Dimension::kColumns;
    const Fragment& to = move.to.fragment;
    return {.along = along,
            .inSource = along,
            .count = to.axis(other(along)).size,
            .length = to.axis(along).size,
            .together = std::max(inRow, inColumn)};
}

}  // namespace

bool changeGrid(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move, Id value,
                Id result) {
    constexpr auto kSum = Use::kAccumulator;
    const bool changes = move.from.use == kSum && move.to.use == kSum && !move.transposes &&
                         move.from.fragment.map != move.to.fragment.map;
    if (!changes) return false;
    const MovedLines lines = gridLinesOf(move);
    const Id unit = context.types.vectorType(move.to.component, lines.together);
    const auto area = subgroupArea(context, "coopvk_sums", unit, lines.units(1));
    if (area) moveThrough(context, writer, move, lines, *area, 0, value, result);
    return area.has_value();
}

}  // namespace coopvk::rewrite
