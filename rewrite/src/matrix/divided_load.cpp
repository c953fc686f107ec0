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

namespace {

// Loads and converts some lines, and gets the others.
class DividedLoad : private MatrixCode {
 public:
    DividedLoad(MatrixContext& context, MatrixWriter& writer, MatrixMemory& memory,
                const MatrixType& matrix, HeldElements& elements)
        : MatrixCode(context, writer),
          memory_(memory),
          matrix_(matrix),
          elements_(elements),
          exchange_(context, writer, matrix),
          along_(sharersOf(context, matrix).along),
          converters_(convertersOf(sharersOf(context, matrix), memory.outer().count())),
          length_(memory.inner().neighbours()) {}

    void run() {
        const Id mine = emit_.modulo(exchange_.gridCoordinate(along_), converters_);
        const Id place = exchange_.gridCoordinate(other(along_));
        for (uint32_t i = 0; i < converters_; ++i)
            lanes_.push_back(exchange_.laneAt(along_, emit_.constant(i), place));
        for (uint32_t begin = 0; begin < memory_.outer().count(); begin += converters_) {
            const Id line = emit_.plus(mine, begin);
            for (uint32_t first = 0; first < memory_.inner().count(); first += length_) {
                const std::vector<Slot> converted =
                    inPairs(emit_, matrix_.component,
                            unpackComponents(emit_, *matrix_.number, memory_.loadRunOf(line, first),
                                             memory_.memoryScalar(), matrix_.component));
                const std::optional<SubgroupArea> memory = area();
                memory ? throughMemory(*memory, converted, begin, first)
                       : byShuffles(converted, begin, first);
            }
        }
    }

 private:
    static constexpr uint32_t kItem = 2 * LaneItems::kWords;  // f16 in an item

    // Shared memory that runs go through; nullopt: by shuffles.
    std::optional<SubgroupArea> area() {
        if (length_ % kItem != 0 || types_.width(matrix_.component) != 16) return std::nullopt;
        return LaneItems::area(context_);
    }

    void byShuffles(const std::vector<Slot>& converted, uint32_t begin, uint32_t first) {
        for (uint32_t i = 0; i < converters_ * length_; ++i) {
            elements_.at(memory_.outerDimension(), begin + i / length_, first + i % length_) =
                exchange_.fromLane(converted[i % length_], lanes_[i / length_]);
        }
    }

    void throughMemory(const SubgroupArea& area, const std::vector<Slot>& converted, uint32_t begin,
                       uint32_t first) {
        LaneItems items(context_, writer_, area);
        const Id u32 = types_.uint32(), pair = types_.vectorType(matrix_.component, 2);
        for (uint32_t item = 0; item < length_; item += kItem) {
            const std::vector<Slot> part(converted.begin() + item,
                                         converted.begin() + item + kItem);
            items.store(scalarsOf(emit_, u32, regroup(emit_, part, matrix_.component, u32)));
            for (uint32_t line = 0; line < converters_; ++line) {
                const std::vector<Id> words =
                    items.load(lanes_[0], line * exchange_.laneStep(along_));
                for (uint32_t i = 0; i < kItem; ++i) {
                    if (i % 2 == 0) half_ = emit_.bitcast(pair, words[i / 2]);
                    elements_.at(memory_.outerDimension(), begin + line, first + item + i) = {
                        half_, i % 2};
                }
            }
            items.finish();
        }
    }

    MatrixMemory& memory_;
    const MatrixType& matrix_;
    HeldElements& elements_;
    SubgroupExchange exchange_;
    const Dimension along_;
    const uint32_t converters_, length_;
    std::vector<Id> lanes_;
    Id half_ = 0;
};

}  // namespace

void loadDivided(MatrixContext& context, MatrixWriter& writer, MatrixMemory& memory,
                 const MatrixType& matrix, HeldElements& elements) {
    DividedLoad(context, writer, memory, matrix, elements).run();
}

}  // namespace coopvk::rewrite
