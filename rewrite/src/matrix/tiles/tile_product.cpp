// SPDX-License-Identifier: Apache-2.0
//
// Multiply-adds whose accumulators are tiles: emitTileProduct (product.hpp).
#include <algorithm>

#include "matrix/staged_product.hpp"
#include "matrix/tiles/tile_memory.hpp"

namespace coopvk::rewrite {

namespace {

// Where the parts of A and B in a slice lie in shared memory.
struct Slice {
    uint32_t depth = 0;  // columns of A; divides K
    LinesInMemory a, b;
    uint32_t words = 0;  // of both
};

// Lines of a matrix along the dimension of its runs, from word `first` on.
LinesInMemory linesOf(const TypeTable& types, const MatrixType& m, uint32_t first, uint32_t rows,
                      uint32_t columns) {
    const bool areColumns = m.fragment.run && m.fragment.run->along == Dimension::kRows;
    return LinesInMemory::of(first, areColumns ? rows : columns, types.width(m.component),
                             areColumns);
}

Slice sliceOf(const MatrixContext& context, const MulAdd& p, uint32_t depth) {
    const auto wordsOf = [](const LinesInMemory& lines, uint32_t rows, uint32_t columns) {
        return lines.words(lines.areColumns ? columns : rows);
    };
    Slice slice;
    slice.depth = depth;
    slice.a = linesOf(context.types, *p.a, 0, p.a->rows, depth);
    const uint32_t wordsOfA = wordsOf(slice.a, p.a->rows, depth);
    slice.b = linesOf(context.types, *p.b, wordsOfA, depth, p.b->columns);
    slice.words = wordsOfA + wordsOf(slice.b, depth, p.b->columns);
    return slice;
}

class TiledProduct : StagedProduct {
 public:
    TiledProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                 const Slice& slice)
        : StagedProduct(context, function, product, slice.depth, slice.words),
          grid_(*product.result->tiles),
          slice_(slice),
          tiles_(emit_, memory_) {}

    Id emit(ProductPart part) {
        if (part == ProductPart::kEnd) return emitEnd();
        HeldElements a(*p_.a, emit_, f_.parameter(0));
        HeldElements b(*p_.b, emit_, f_.parameter(1));
        // Positions are computed ahead of all control flow, since later blocks use them, too.
        const Condition storesA = storesOf(*p_.a), storesB = storesOf(*p_.b);
        subgroup_ = readSubgroupPosition(emit_, grid_);
        beginSums(f_.parameter(2));
        forEachSlice(
            [&](Id start) {
                stage(*p_.a, a, slice_.a, storesA, start, Dimension::kColumns);
                stage(*p_.b, b, slice_.b, storesB, start, Dimension::kRows);
            },
            [&] { multiply(); }, part == ProductPart::kOpened);
        return f_.finish(constructFromPacks(emit_, *p_.result, loadSums()));
    }

 private:
    Id emitEnd() {
        subgroup_ = readSubgroupPosition(emit_, grid_);
        beginSums(f_.parameter(0));
        multiply();
        return f_.finish(constructFromPacks(emit_, *p_.result, loadSums()));
    }

    Condition storesOf(const MatrixType& m) {
        positionOf(m).laneOn(Dimension::kRows, m.fragment.rows);
        positionOf(m).laneOn(Dimension::kColumns, m.fragment.columns);
        return isNoDuplicate(m);
    }

    // Stores what this lane holds of a slice to shared memory. `k`: the dimension of K.
    void stage(const MatrixType& m, HeldElements& elements, const LinesInMemory& lines,
               Condition stores, Id start, Dimension k) {
        const Axis& line = m.fragment.axis(other(k));
        const bool inRuns = m.fragment.run.has_value();
        const bool runsAlongK = inRuns && m.fragment.run->along == k;
        const uint32_t length = runsAlongK ? blockOf(m.fragment.axis(k)) : line.block;
        forEachBlock(m, k, start, stores, [&](uint32_t block, Id inSlice) {
            for (uint32_t o = 0; o < line.count(); o += line.block) {
                const Id place = positionOf(m).indexOn(emit_, other(k), line, o);
                const bool isB = k == Dimension::kRows;
                const StagedElement at = isB ? StagedElement{block, o, inSlice, place}
                                             : StagedElement{o, block, place, inSlice};
                if (inRuns)
                    stageRun(m, elements, lines, at, length);
                else
                    stageBlock(m, elements, lines, at);
            }
        });
    }

    // An element: its local row and column, and those in memory (u32).
    struct StagedElement {
        uint32_t localRow, localColumn;
        Id row, column;
    };

    Id gatherWord(const MatrixType& m, std::span<const Slot> slots) {
        return emit_.bitcast(types_.uint32(), gather(emit_, m.component, slots));
    }

    void stageBlock(const MatrixType& m, HeldElements& elements, const LinesInMemory& lines,
                    const StagedElement& at) {
        const Id vector = lines.vectorOf(emit_, at.row, at.column);
        const Id component = emit_.modulo(emit_.over(at.column, lines.perWord), 4);
        for (uint32_t r = 0; r < kWorkgroupBlock; ++r) {
            std::vector<Id> words;
            for (uint32_t first = 0; first < kWorkgroupBlock; first += lines.perWord) {
                std::vector<Slot> slots;
                for (uint32_t i = 0; i < lines.perWord; ++i) {
                    slots.push_back(elements.at(at.localRow + r, at.localColumn + first + i));
                }
                words.push_back(gatherWord(m, slots));
            }
            memory_.storeInVector(emit_.plus(vector, r * lines.stride / 4), component, words);
        }
    }

    // Stores `length` elements along a line: whole vectors of four words, or a part of one.
    void stageRun(const MatrixType& m, HeldElements& elements, const LinesInMemory& lines,
                  const StagedElement& at, uint32_t length) {
        const Id first = lines.vectorOf(emit_, at.row, at.column);
        const uint32_t wordsAtOnce = std::min(4u, length / lines.perWord);
        const uint32_t perPart = wordsAtOnce * lines.perWord;
        const Id along = lines.areColumns ? at.row : at.column;
        const Id component =
            wordsAtOnce == 4 ? 0 : emit_.modulo(emit_.over(along, lines.perWord), 4);
        for (uint32_t part = 0; part < length / perPart; ++part) {
            std::vector<Id> words;
            for (uint32_t word = 0; word < wordsAtOnce; ++word) {
                std::vector<Slot> slots;
                for (uint32_t i = 0; i < lines.perWord; ++i) {
                    const uint32_t offset = part * perPart + word * lines.perWord + i;
                    slots.push_back(lines.areColumns
                                        ? elements.at(at.localRow + offset, at.localColumn)
                                        : elements.at(at.localRow, at.localColumn + offset));
                }
                words.push_back(gatherWord(m, slots));
            }
            memory_.storeInVector(emit_.plus(first, part), component, words);
        }
    }

    // The first row or column of a tile of this subgroup.
    Id firstOf(Id subgroup, uint32_t tiles, uint32_t tile, uint32_t size) {
        return emit_.plus(emit_.times(subgroup, tiles * size), tile * size);
    }

    // A loop on CPUs: lavapipe compiles each multiplication for tenths of a second.
    void multiply() {
        const uint32_t steps = slice_.depth / grid_.depth;
        if (context_.target.device.prefersShortCode) {
            return f_.loopAbove(1, steps, [&](Id step) {
                std::vector<Id> sums = loadSums();
                addStep(emit_.times(step, grid_.depth), sums);
                storeSums(sums);
            });
        }
        std::vector<Id> sums = loadSums();
        for (uint32_t step = 0; step < steps; ++step) {
            addStep(emit_.constant(step * grid_.depth), sums);
        }
        storeSums(sums);
    }

    // Variables for the sums, with the tiles of C as values.
    void beginSums(Id c) {
        for (const Id tile : extractPacks(emit_, *p_.c, c)) {
            sums_.push_back(f_.variable(p_.result->pack));
            f_.store(sums_.back(), tile);
        }
    }

    std::vector<Id> loadSums() {
        std::vector<Id> sums;
        for (const Id sum : sums_) sums.push_back(f_.load(sum));
        return sums;
    }

    void storeSums(std::span<const Id> sums) {
        for (size_t i = 0; i < sums.size(); ++i) f_.store(sums_[i], sums[i]);
    }

    // Adds the product of the tiles at column `k` of A and row `k` of B (u32).
    void addStep(Id k, std::vector<Id>& sums) {
        const Id typeOfA =
            context_.tiles.tileType(types_, p_.a->component, grid_.rows, grid_.depth, Use::kA);
        const Id typeOfB =
            context_.tiles.tileType(types_, p_.b->component, grid_.depth, grid_.columns, Use::kB);
        std::vector<Id> left;
        for (uint32_t i = 0; i < grid_.down; ++i) {
            const Id row = firstOf(subgroup_.row, grid_.down, i, grid_.rows);
            left.push_back(tiles_.load(typeOfA, slice_.a, row, k));
        }
        for (uint32_t j = 0; j < grid_.across; ++j) {
            const Id column = firstOf(subgroup_.column, grid_.across, j, grid_.columns);
            const Id right = tiles_.load(typeOfB, slice_.b, k, column);
            for (uint32_t i = 0; i < grid_.down; ++i) {
                Id& sum = sums[i * grid_.across + j];
                sum = emit_.op(OpCooperativeMatrixMulAddKHR, p_.result->pack,
                               operandsOf(left[i], right, sum));
            }
        }
    }

    Operands operandsOf(Id a, Id b, Id sum) {
        Operands operands = {idOperand(a), idOperand(b), idOperand(sum)};
        if (p_.operands != 0) operands.push_back(literal(p_.operands));
        return operands;
    }

    const TileGrid& grid_;
    const Slice& slice_;
    TileMemory tiles_;
    SubgroupPosition subgroup_;
    std::vector<Id> sums_;  // variables
};

// The deepest slice for which there is shared memory; nullopt with an error.
std::optional<Slice> chooseSlice(MatrixContext& context, const MulAdd& p, const Instruction& at) {
    const uint32_t step = p.result->tiles->depth;
    Slice slice = sliceOf(context, p, step);
    uint32_t words = workgroupWords(context, at, slice.words);
    if (words == 0) return std::nullopt;
    words = std::max(words, deepSliceWords(context));
    for (uint32_t depth = step; depth <= p.a->columns; depth += step) {
        const Slice deeper = sliceOf(context, p, depth);
        if (p.a->columns % depth == 0 && deeper.words <= words) slice = deeper;
    }
    return slice;
}

}  // namespace

Id emitTileProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& p,
                   const Instruction& at, ProductPart part) {
    const std::optional<Slice> slice = chooseSlice(context, p, at);
    return slice ? TiledProduct(context, function, p, *slice).emit(part) : 0;
}

}  // namespace coopvk::rewrite
