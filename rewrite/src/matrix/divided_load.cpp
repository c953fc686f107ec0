// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lowering/number.hpp"
#include "matrix/exchange.hpp"
#include "matrix/memory_access.hpp"

namespace coopvk::rewrite {

namespace {

// The conversion of a pair is six instructions or more; with fewer lanes, their part of it and the
// shuffles take about as long.
constexpr uint32_t kLeastSharers = 4;

// The dimension along which lanes hold the same elements, and how many there are.
struct Sharers {
    Dimension along;
    uint32_t count;
};

Sharers sharersOf(const MatrixContext& context, const MatrixType& matrix) {
    const Fragment& f = matrix.fragment;
    const Grid grid = context.lanesOf(f).grid;
    if (matrix.use == Use::kB) return {Dimension::kRows, f.rows.lanes == 1 ? grid.rows : 1};
    return {Dimension::kColumns, f.columns.lanes == 1 ? grid.columns : 1};
}

// Neighbours in one value each, so that a shuffle moves what becomes a pack, and not halves of two.
std::vector<Slot> inPairs(Emitter& emit, Id half, const std::vector<Slot>& numbers) {
    if (numbers.size() % 2 != 0) return numbers;
    std::vector<Slot> pairs;
    for (size_t i = 0; i < numbers.size(); i += 2) {
        const Id pair = gather(emit, half, std::span(numbers).subspan(i, 2));
        pairs.insert(pairs.end(), {{pair, 0}, {pair, 1}});
    }
    return pairs;
}

// Lanes that convert different lines.
uint32_t convertersOf(const Sharers& sharers, uint32_t lines) {
    return std::min(sharers.count, powerOfTwoIn(lines));
}

}  // namespace

bool isDividedLoad(const MatrixContext& context, const MatrixMemory& memory,
                   const MatrixType& matrix) {
    const DevicePlan& device = context.target.device;
    const bool isLong = matrix.hasSmallFloats() && !matrix.number->hasInfinity();
    if (!device.dividesConversions || device.hasSlowShuffles || !device.subgroupShuffle ||
        !isLong || matrix.use == Use::kAccumulator || !memory.isDirect() ||
        matrix.fragment.scope != LaneScope::kSubgroup) {
        return false;
    }
    const Sharers sharers = sharersOf(context, matrix);
    return convertersOf(sharers, memory.outer().count()) >= kLeastSharers;
}

void loadDivided(MatrixContext& context, MatrixWriter& writer, MatrixMemory& memory,
                 const MatrixType& matrix, HeldElements& elements) {
    Emitter& emit = writer.emit();
    SubgroupExchange exchange(context, writer, matrix);
    const uint32_t lines = memory.outer().count();
    const Sharers sharers = sharersOf(context, matrix);
    const uint32_t converters = convertersOf(sharers, lines);
    const Id mine = emit.modulo(exchange.gridCoordinate(sharers.along), converters);
    const Id place = exchange.gridCoordinate(other(sharers.along));
    std::vector<Id> lanes;
    for (uint32_t i = 0; i < converters; ++i)
        lanes.push_back(exchange.laneAt(sharers.along, emit.constant(i), place));
    const uint32_t length = memory.inner().neighbours();
    for (uint32_t begin = 0; begin < lines; begin += converters) {
        const Id line = emit.plus(mine, begin);
        for (uint32_t first = 0; first < memory.inner().count(); first += length) {
            const std::vector<Slot> converted =
                inPairs(emit, matrix.component,
                        unpackComponents(emit, *matrix.number, memory.loadRunOf(line, first),
                                         memory.memoryScalar(), matrix.component));
            for (uint32_t i = 0; i < converters * length; ++i) {
                elements.at(memory.outerDimension(), begin + i / length, first + i % length) =
                    exchange.fromLane(converted[i % length], lanes[i / length]);
            }
        }
    }
}

}  // namespace coopvk::rewrite
